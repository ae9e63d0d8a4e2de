import {
  AppPasswords,
  CreateAppPassword,
  CreatedAppPassword,
  RemoveAppPassword,
} from '@atrium/core/members/app-passwords'
import { GetImport, ImportPath, ImportView, StartImport } from '@atrium/core/members/member-import'
import {
  AddedAlias,
  AddMemberAlias,
  ChangeMemberEmail,
  CreatedMember,
  CreateMailbox,
  CreateMember,
  ForcedLogout,
  LeaveWorkplace,
  ListTenantUsers,
  MemberAliases,
  MemberPage,
  MemberPath,
  MemberView,
  RemindedOfSecondFactors,
  RemindOfSecondFactors,
  RemoveMemberAlias,
  ResetMemberPassword,
  ResetPassword,
  ResetSecondFactors,
  TransferOwnership,
  TransferredOwnership,
  UpdatedMember,
  UpdateMember,
} from '@atrium/core/members/members'
import { z } from 'zod'
import { processorErrors } from '../billing/invoices/processor-errors.ts'
import { adminOrOperator, memberOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { requireRecentSignIn } from '../rpc/recent-sign-in.ts'
import { router } from '../rpc/trpc.ts'
import { addMemberAlias, listMemberAliases, removeMemberAlias } from './aliases.ts'
import { createAppPassword, listAppPasswords, removeAppPassword } from './app-passwords.ts'
import { changeMemberEmail } from './change-email.ts'
import { createMember } from './create.ts'
import { forceLogout } from './force-logout.ts'
import { getImport, importsAdmins, resumeImport, startImport } from './import.ts'
import { getMember, listMembers } from './list.ts'
import { createMailbox } from './mailbox.ts'
import { remindOfSecondFactors } from './remind-second-factors.ts'
import { leaveWorkplace, removeMember } from './remove.ts'
import { resetPassword } from './reset-password.ts'
import { resetSecondFactors } from './reset-second-factors.ts'
import { retryMember } from './retry.ts'
import { resumeMember, suspendMember } from './suspend.ts'
import { transferOwnership } from './transfer-ownership.ts'
import { updateMember } from './update.ts'

const tags = ['members']
const users = '/tenants/{slug}/users' as const
const one = `${users}/{userId}` as const
const imports = '/tenants/{slug}/user-imports' as const

export const membersRouter = router({
  create: adminOrOperator
    .meta({
      delegable: ['members'],
      recentSignIn: 'when `role` is `admin`',
      openapi: {
        method: 'POST',
        path: users,
        tags,
        summary: 'Create a member with identity, mailbox and file account',
      },
      audit: 'member.created',
      creates: true,
      secretResponse: true,
      errors: [
        'on_behalf_excluded',
        ...processorErrors,
        'tenant_suspended',
        'tenant_deleted',
        'member_busy',
        'seats_exhausted',
        'domain_not_verified',
        'integration_off',
        'invitation_required',
        'address_claim_required',
        'email_taken',
        'billing_limited',
        'quote_expired',
        'subscription_ended',
        'currency_locked',
        'uncancel_first',
        'subscription_state',
        'quota_exceeded',
        'price_unavailable',
        'subscription_exists',
      ],
    })
    .input(CreateMember)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () => input.role === 'admin')
      return next()
    })
    .output(CreatedMember)
    .mutation(({ ctx, input }) => createMember(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      delegable: ['members'],
      openapi: { method: 'GET', path: one, tags, summary: 'Read a member' },
    })
    .input(MemberPath)
    .output(MemberView)
    .query(({ ctx, input }) => getMember(ctx, ctx.access, input.userId)),
  update: adminOrOperator
    .meta({
      delegable: ['members'],
      recentSignIn: 'when `role` is `admin`',
      openapi: {
        method: 'PATCH',
        path: one,
        tags,
        summary: "Change a member's role, name or contact data",
      },
      audit: 'member.updated',
      errors: [
        'on_behalf_excluded',
        'member_busy',
        'member_not_active',
        'role_locked_owner',
        'role_locked_bootstrap_admin',
        'role_locked_self',
        'last_admin',
        'identity_not_managed',
        'tenant_suspended',
        'tenant_deleted',
        'address_not_proved',
      ],
    })
    .input(UpdateMember)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () => input.role === 'admin')
      return next()
    })
    .output(UpdatedMember)
    .mutation(({ ctx, input }) => updateMember(ctx, ctx.access, input)),
  changeEmail: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'PUT',
        path: `${one}/email`,
        tags,
        summary: "Change a member's primary address",
      },
      audit: 'member.email_changed',
      errors: [
        'on_behalf_excluded',
        'tenant_suspended',
        'tenant_deleted',
        'domain_not_verified',
        'member_busy',
        'member_not_active',
        'upstream_failed',
        'email_taken',
        'owner_locked',
        'identity_not_managed',
      ],
    })
    .input(ChangeMemberEmail)
    .concat(recentSignIn)
    .output(MemberView)
    .mutation(({ ctx, input }) => changeMemberEmail(ctx, ctx.access, input)),
  listAliases: memberOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'GET',
        path: `${one}/aliases`,
        tags,
        summary: "List a member's further addresses",
      },
      errors: ['not_admin', 'mailbox_missing', 'email_taken', 'integration_off', 'upstream_failed'],
    })
    .input(MemberPath)
    .output(MemberAliases)
    .query(({ ctx, input }) => listMemberAliases(ctx, ctx.access, input.userId)),
  addAlias: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/aliases`,
        tags,
        summary: 'Give a member a further address',
      },
      audit: 'member.alias_added',
      creates: true,
      errors: [
        'on_behalf_excluded',
        'limit_reached',
        'provisioning_in_progress',
        'member_not_active',
        'domain_not_verified',
        'mailbox_missing',
        'email_taken',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
        'integration_off',
        'upstream_failed',
      ],
    })
    .input(AddMemberAlias)
    .output(AddedAlias)
    .mutation(({ ctx, input }) => addMemberAlias(ctx, ctx.access, input)),
  removeAlias: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'DELETE',
        path: `${one}/aliases/{address}`,
        tags,
        summary: 'Take a further address away',
      },
      audit: 'member.alias_removed',
      errors: [
        'on_behalf_excluded',
        'mailbox_missing',
        'email_taken',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
        'integration_off',
        'upstream_failed',
      ],
    })
    .input(RemoveMemberAlias)
    .output(z.void())
    .mutation(({ ctx, input }) => removeMemberAlias(ctx, ctx.access, input)),
  listAppPasswords: memberOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${one}/app-passwords`,
        tags,
        summary: "List the app passwords of a member's mailbox",
      },
      errors: [
        'not_found',
        'not_admin',
        'mailbox_missing',
        'limit_reached',
        'integration_off',
        'upstream_failed',
      ],
    })
    .input(MemberPath)
    .output(AppPasswords)
    .query(({ ctx, input }) => listAppPasswords(ctx, ctx.access, input.userId)),
  createAppPassword: memberOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/app-passwords',
        tags,
        summary: 'Create an app password for your own mailbox',
      },
      audit: 'member.app_password_created',
      creates: true,
      secretResponse: true,
      errors: [
        'not_found',
        'already_exists',
        'limit_reached',
        'mailbox_missing',
        'member_busy',
        'member_not_active',
        'integration_off',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(CreateAppPassword)
    .concat(recentSignIn)
    .output(CreatedAppPassword)
    .mutation(({ ctx, input }) => createAppPassword(ctx, ctx.access, input)),
  removeAppPassword: memberOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: `${one}/app-passwords/{appPasswordId}`,
        tags,
        summary: "Take back an app password of a member's mailbox",
      },
      audit: 'member.app_password_removed',
      errors: [
        'not_found',
        'not_admin',
        'mailbox_missing',
        'limit_reached',
        'integration_off',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(RemoveAppPassword)
    .output(z.void())
    .mutation(({ ctx, input }) => removeAppPassword(ctx, ctx.access, input)),
  createMailbox: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/mailbox`,
        tags,
        summary: 'Give a mailbox to a member who has none',
      },
      audit: 'member.mailbox_created',
      creates: true,
      secretResponse: true,
      errors: [
        'on_behalf_excluded',
        'tenant_suspended',
        'tenant_deleted',
        'integration_off',
        'email_taken',
        'member_busy',
        'mailbox_exists',
        'member_not_active',
        'domain_not_verified',
        'owner_locked',
      ],
    })
    .input(CreateMailbox)
    .output(CreatedMember)
    .mutation(({ ctx, input }) => createMailbox(ctx, ctx.access, input)),
  suspend: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/suspend`,
        tags,
        summary: 'Shut a member out, keeping everything',
      },
      audit: 'member.suspended',
      errors: [
        'on_behalf_excluded',
        'self_suspend',
        'owner_locked',
        'already_suspended',
        'member_not_active',
        'last_admin',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(MemberView)
    .mutation(({ ctx, input }) => suspendMember(ctx, ctx.access, input.userId)),
  resume: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: { method: 'POST', path: `${one}/resume`, tags, summary: 'Let a member in again' },
      audit: 'member.resumed',
      errors: [
        'on_behalf_excluded',
        'not_suspended',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(MemberView)
    .mutation(({ ctx, input }) => resumeMember(ctx, ctx.access, input.userId)),
  forceLogout: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/force-logout`,
        tags,
        summary: "End a member's sessions",
      },
      audit: 'member.sessions_ended',
      errors: [
        'on_behalf_excluded',
        'self_force_logout',
        'member_busy',
        'identity_not_managed',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(ForcedLogout)
    .mutation(({ ctx, input }) => forceLogout(ctx, ctx.access, input.userId)),
  resetPassword: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/reset-password`,
        tags,
        summary: 'Set a one-time password on identity and mailbox, or mail a link to a new one',
      },
      audit: 'member.password_reset',
      secretResponse: true,
      errors: [
        'on_behalf_excluded',
        'member_busy',
        'member_not_active',
        'upstream_failed',
        'owner_locked',
        'integration_off',
        'identity_not_managed',
        'address_not_proved',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(ResetMemberPassword)
    .concat(recentSignIn)
    .output(ResetPassword)
    .mutation(({ ctx, input }) => resetPassword(ctx, ctx.access, input)),
  resetSecondFactors: adminOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${one}/reset-second-factors`,
        tags,
        summary: 'Remove the second factors of a member who lost theirs',
      },
      audit: 'member.second_factors_reset',
      errors: [
        'on_behalf_excluded',
        'self_second_factors',
        'member_busy',
        'member_not_active',
        'owner_locked',
        'identity_not_managed',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .concat(recentSignIn)
    .output(ResetSecondFactors)
    .mutation(({ ctx, input }) => resetSecondFactors(ctx, ctx.access, input.userId)),
  remindOfSecondFactors: adminOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/second-factor-reminders',
        tags,
        summary: 'Remind members without a second factor',
      },
      audit: 'member.second_factors_reminded',
      errors: ['not_found', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(RemindOfSecondFactors)
    .output(RemindedOfSecondFactors)
    .mutation(({ ctx, input }) => remindOfSecondFactors(ctx, ctx.access, input.userIds)),
  remove: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'DELETE',
        path: one,
        tags,
        summary: 'Remove a member with mailbox, identity and file account',
      },
      audit: 'member.removed',
      errors: [
        'on_behalf_excluded',
        'member_busy',
        'owner_removal',
        'self_removal',
        'last_admin',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => removeMember(ctx, ctx.access, input.userId)),
  leave: memberOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/leave',
        tags,
        summary: 'Leave a workplace',
      },
      audit: 'member.left',
      errors: [
        'not_found',
        'member_busy',
        'owner_removal',
        'last_admin',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(LeaveWorkplace)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx }) => leaveWorkplace(ctx, ctx.access)),
  retry: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${one}/retry`,
        tags,
        summary: 'Do again what an upstream system left undone',
      },
      audit: 'member.retried',
      secretResponse: true,
      errors: [
        'on_behalf_excluded',
        'member_busy',
        'integration_off',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(MemberPath)
    .output(CreatedMember)
    .mutation(({ ctx, input }) => retryMember(ctx, ctx.access, input.userId)),
  transferOwnership: adminOrOperator
    .meta({
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/transfer-ownership',
        tags,
        summary: 'Make another member the owner',
      },
      audit: 'tenant.ownership_transferred',
      errors: [
        'already_owner',
        'member_not_active',
        'tenant_suspended',
        'tenant_deleted',
        'address_not_proved',
      ],
    })
    .input(TransferOwnership)
    .concat(recentSignIn)
    .output(TransferredOwnership)
    .mutation(({ ctx, input }) => transferOwnership(ctx, ctx.access, input.userId)),
  startImport: adminOrOperator
    .meta({
      delegable: ['members'],
      recentSignIn: 'when a row makes an admin and it is no dry run',
      openapi: {
        method: 'POST',
        path: imports,
        tags,
        summary: 'Create members from CSV, or judge the rows',
      },
      audit: 'member.imported',
      errors: [
        'on_behalf_excluded',
        'email_taken',
        'seats_exhausted',
        'tenant_suspended',
        'tenant_deleted',
        'domain_not_verified',
        'member_busy',
        'integration_off',
        'billing_limited',
      ],
    })
    .input(StartImport)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(ctx, () => importsAdmins(input))
      return next()
    })
    .output(ImportView)
    .mutation(({ ctx, input }) => startImport(ctx, ctx.access, input)),
  getImport: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: { method: 'GET', path: `${imports}/{importId}`, tags, summary: 'Follow an import' },
    })
    .input(GetImport)
    .output(ImportView)
    .query(({ ctx, input }) => getImport(ctx, ctx.access, input)),
  resumeImport: adminOrOperator
    .meta({
      delegable: ['members'],
      openapi: {
        method: 'POST',
        path: `${imports}/{importId}/resume`,
        tags,
        summary: 'Go on with a stopped import',
      },
      audit: 'member.imported',
      errors: [
        'on_behalf_excluded',
        'tenant_suspended',
        'tenant_deleted',
        'member_busy',
        'domain_not_verified',
        'integration_off',
        'email_taken',
        'billing_limited',
        'seats_exhausted',
      ],
    })
    .input(ImportPath)
    .output(ImportView)
    .mutation(({ ctx, input }) => resumeImport(ctx, ctx.access, input.importId)),
})

/** What `tenants` has of the members of a tenant. */
export const tenantMembersRouter = router({
  users: memberOrOperator
    .meta({
      delegable: ['members', 'mail', 'scheduling'],
      openapi: { method: 'GET', path: users, tags: ['tenants'], summary: 'List the members' },
    })
    .input(ListTenantUsers)
    .output(MemberPage)
    .query(({ ctx, input }) => listMembers(ctx, ctx.access, input)),
})
