import {
  CreateList,
  ListInTenant,
  ListLists,
  ListPage,
  ListView,
  UpdateList,
} from '@atrium/core/mail/lists'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { createList } from './create.ts'
import { getList, listLists } from './get.ts'
import { removeList } from './remove.ts'
import { retryList } from './retry.ts'
import { updateList } from './update.ts'

const tags = ['lists']
const path = '/tenants/{slug}/lists' as const
const one = `${path}/{listId}` as const

export const listsRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'mail:read',
      delegable: ['mail'],
      openapi: { method: 'GET', path, tags, summary: 'List the distribution lists' },
    })
    .input(ListLists)
    .output(ListPage)
    .query(({ ctx, input }) => listLists(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      scope: 'mail:read',
      delegable: ['mail'],
      openapi: {
        method: 'GET',
        path: one,
        tags,
        summary: 'Read a distribution list with its recipients',
      },
    })
    .input(ListInTenant)
    .output(ListView)
    .query(({ ctx, input }) => getList(ctx, ctx.access, input.listId)),
  create: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: { method: 'POST', path, tags, summary: 'Create a distribution list' },
      audit: 'list.created',
      creates: true,
      errors: [
        'integration_off',
        'limit_reached',
        'domain_not_verified',
        'list_loop',
        'email_taken',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(CreateList)
    .output(ListView)
    .mutation(({ ctx, input }) => createList(ctx, ctx.access, input)),
  update: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: { method: 'PATCH', path: one, tags, summary: 'Change name or recipients of a list' },
      audit: 'list.updated',
      errors: [
        'edit_conflict',
        'integration_off',
        'list_loop',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(UpdateList)
    .output(ListView)
    .mutation(({ ctx, input }) => updateList(ctx, ctx.access, input)),
  remove: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: { method: 'DELETE', path: one, tags, summary: 'Remove a distribution list' },
      audit: 'list.removed',
      errors: ['upstream_failed', 'integration_off', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(ListInTenant)
    .output(z.void())
    .mutation(({ ctx, input }) => removeList(ctx, ctx.access, input.listId)),
  retry: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: {
        method: 'POST',
        path: `${one}/retry`,
        tags,
        summary: 'Bring the mail server to what the list is to be',
      },
      audit: 'list.retried',
      errors: ['integration_off', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(ListInTenant)
    .output(ListView)
    .mutation(({ ctx, input }) => retryList(ctx, ctx.access, input.listId)),
})
