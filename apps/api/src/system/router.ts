import { ListSystemFailures, SystemFailures, SystemView } from '@atrium/core/system/system'
import { z } from 'zod'
import { operator } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { getSystem, listSystemFailures } from './get.ts'

const tags = ['system']

/** How the installation is doing, for operators. */
export const systemRouter = router({
  get: operator
    .meta({
      scope: 'system:read',
      openapi: {
        method: 'GET',
        path: '/system',
        tags,
        summary: 'Read how queues, database and upstream systems are doing',
      },
    })
    .input(z.strictObject({}).optional())
    .output(SystemView)
    .query(({ ctx }) => getSystem(ctx.services)),
  failures: operator
    .meta({
      scope: 'system:read',
      openapi: {
        method: 'GET',
        path: '/system/failures',
        tags,
        summary: 'List what stands failed now',
      },
    })
    .input(ListSystemFailures)
    .output(SystemFailures)
    .query(({ ctx, input }) => listSystemFailures(ctx.services, input)),
})
