import {
  ChangeMemberEmail,
  CreatedMember,
  CreateMember,
  LeaveWorkplace,
  ListTenantUsers,
  MemberPage,
  MemberPath,
  MemberView,
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
import { mergeRouters, router } from '../rpc/trpc.ts'
import { changeMemberEmail } from './change-email.ts'
import { createMember } from './create.ts'
import { memberImportsRouter } from './import-router.ts'
import { getMember, listMembers } from './list.ts'
import { memberMailboxRouter } from './mailbox-router.ts'
import { leaveWorkplace, removeMember } from './remove.ts'
import { retryMember } from './retry.ts'
import { memberSignInRouter } from './sign-in-router.ts'
import { transferOwnership } from './transfer-ownership.ts'
import { updateMember } from './update.ts'

const tags = ['members']
const users = '/tenants/{slug}/users' as const
const one = `${users}/{userId}` as const

const memberRecordsRouter = router({
  create: adminOrOperator
    .meta({
      scope: 'members:write',
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
      scope: 'members:read',
      delegable: ['members'],
      openapi: { method: 'GET', path: one, tags, summary: 'Read a member' },
    })
    .input(MemberPath)
    .output(MemberView)
    .query(({ ctx, input }) => getMember(ctx, ctx.access, input.userId)),
  update: adminOrOperator
    .meta({
      scope: 'members:write',
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
      scope: 'members:write',
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
  remove: adminOrOperator
    .meta({
      scope: 'members:write',
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
      scope: 'never',
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
      scope: 'members:write',
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
      scope: 'never',
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
})

/** Everything about the members of a tenant. */
export const membersRouter = mergeRouters(
  memberRecordsRouter,
  memberMailboxRouter,
  memberSignInRouter,
  memberImportsRouter,
)

/** What `tenants` has of the members of a tenant. */
export const tenantMembersRouter = router({
  users: memberOrOperator
    .meta({
      scope: 'members:read',
      delegable: ['members', 'mail', 'scheduling'],
      openapi: { method: 'GET', path: users, tags: ['tenants'], summary: 'List the members' },
    })
    .input(ListTenantUsers)
    .output(MemberPage)
    .query(({ ctx, input }) => listMembers(ctx, ctx.access, input)),
})
