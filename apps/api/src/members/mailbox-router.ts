import {
  AppPasswords,
  CreateAppPassword,
  CreatedAppPassword,
  RemoveAppPassword,
} from '@atrium/core/members/app-passwords'
import {
  AddedAlias,
  AddMemberAlias,
  CreatedMember,
  CreateMailbox,
  MemberAliases,
  MemberPath,
  RemoveMemberAlias,
} from '@atrium/core/members/members'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { addMemberAlias, listMemberAliases, removeMemberAlias } from './aliases.ts'
import { createAppPassword, listAppPasswords, removeAppPassword } from './app-passwords.ts'
import { createMailbox } from './mailbox.ts'

const tags = ['members']
const users = '/tenants/{slug}/users' as const
const one = `${users}/{userId}` as const

/** Mailbox of a member: its addresses and app passwords. */
export const memberMailboxRouter = router({
  listAliases: memberOrOperator
    .meta({
      scope: 'members:read',
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
      scope: 'members:write',
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
      scope: 'members:write',
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
      scope: 'never',
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
      scope: 'never',
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
      scope: 'never',
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
      scope: 'members:write',
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
})
