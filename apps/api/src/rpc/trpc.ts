import { defaultLanguage } from '@atrium/messages/languages'
import { initTRPC } from '@trpc/server'
import type { Context } from './context.ts'
import { toAppError } from './errors.ts'
import type { ProcedureMeta } from './procedure-meta.ts'
import { serializer } from './serializer.ts'

export const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    transformer: serializer,
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 40_000 },
    },
    errorFormatter({ shape, error, ctx }) {
      const rejection = toAppError(error)
      const language = ctx?.request.language ?? defaultLanguage
      return {
        ...shape,
        message: rejection.messageIn(language),
        data: {
          code: rejection.code,
          httpStatus: rejection.status,
          path: shape.data.path,
          requestId: ctx?.request.requestId,
          issues: rejection.issuesIn(language),
          limit: rejection.limit,
          current: rejection.current,
        },
      }
    },
  })

export const { router, mergeRouters } = t
