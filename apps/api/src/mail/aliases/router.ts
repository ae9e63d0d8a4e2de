import { AddAlias, AliasPage, AliasView, ListAliases, RemoveAlias } from '@atrium/core/mail/aliases'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { addAlias } from './add.ts'
import { listAliases } from './list.ts'
import { removeAlias } from './remove.ts'

const tags = ['aliases']
const path = '/tenants/{slug}/aliases' as const

export const aliasesRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'mail:read',
      delegable: ['mail'],
      openapi: {
        method: 'GET',
        path,
        tags,
        summary: "List the further addresses of the tenant's mailboxes",
      },
      errors: ['integration_off', 'upstream_failed'],
    })
    .input(ListAliases)
    .output(AliasPage)
    .query(({ ctx, input }) => listAliases(ctx, ctx.access, input)),
  add: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: { method: 'POST', path, tags, summary: "Give a member's mailbox a further address" },
      audit: 'alias.added',
      creates: true,
      errors: [
        'on_behalf_excluded',
        'limit_reached',
        'integration_off',
        'member_busy',
        'member_not_active',
        'mailbox_missing',
        'email_taken',
        'provisioning_in_progress',
        'already_exists',
        'domain_not_verified',
        'upstream_failed',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(AddAlias)
    .output(AliasView)
    .mutation(({ ctx, input }) => addAlias(ctx, ctx.access, input)),
  remove: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: {
        method: 'DELETE',
        path: `${path}/{address}`,
        tags,
        summary: 'Take a further address away',
      },
      audit: 'alias.removed',
      errors: [
        'integration_off',
        'member_busy',
        'tenant_suspended',
        'tenant_deleted',
        'upstream_failed',
      ],
    })
    .input(RemoveAlias)
    .output(z.void())
    .mutation(({ ctx, input }) => removeAlias(ctx, ctx.access, input)),
})
