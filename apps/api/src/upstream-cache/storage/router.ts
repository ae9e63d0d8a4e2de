import { ReadStorage, StorageView } from '@atrium/core/upstream-cache/storage'
import { memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { readStorage } from './get.ts'

export const storageRouter = router({
  get: memberOrOperator
    .meta({
      scope: 'members:read',
      delegable: ['members'],
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/storage',
        tags: ['storage'],
        summary: 'See how much is stored',
      },
    })
    .input(ReadStorage)
    .output(StorageView)
    .query(({ ctx, input }) => readStorage(ctx, ctx.access, input)),
})
