import { initTRPC } from '@trpc/server'
import type { Context } from './context.ts'
import type { ProcedureMeta } from './procedure.ts'
import { toAppError } from './refusals.ts'
import { serializer } from './transport/serializer.ts'

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    transformer: serializer,
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter({ shape, error, ctx }) {
      const refusal = toAppError(error)
      return {
        ...shape,
        message: refusal.message,
        data: {
          code: refusal.code,
          httpStatus: refusal.status,
          path: shape.data.path,
          requestId: ctx?.request.requestId,
          issues: refusal.issues,
          limit: refusal.limit,
        },
      }
    },
  })

export const { router } = t
