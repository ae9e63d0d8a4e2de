import type { AnyRouter } from '@trpc/server'
import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server/unstable-core-do-not-import'

type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError }

interface Call {
  ctx: object
  path: string
  type: ProcedureDefinition['type']
  /** The call's place in its batch. */
  batchIndex: number
  getRawInput: () => Promise<unknown>
  input?: unknown
  signal?: AbortSignal | undefined
}

type Middleware = (call: Call & { meta: unknown; next: (change?: Partial<Call>) => Promise<Result> }) => Promise<Result>

/** What tRPC 11 keeps of a procedure at run time. */
export interface ProcedureDefinition {
  middlewares: readonly Middleware[]
  meta?: unknown
  type: 'query' | 'mutation' | 'subscription'
}

export type RunnableProcedure = ((call: Call) => Promise<unknown>) & { _def: ProcedureDefinition }

/** Every procedure by its dotted name. At run time the record is flat; its type mirrors the nesting. */
export function proceduresOf(router: AnyRouter): Record<string, RunnableProcedure> {
  return router._def.procedures as unknown as Record<string, RunnableProcedure>
}

/**
 * Gives every procedure of a router a shorter way through its middlewares: the same ones in the same order with the same rules. tRPC's
 * own way copies the call three times per middleware, property by property, which costs more than everything the middlewares do.
 */
export function withShortCalls<Router extends AnyRouter>(router: Router): Router {
  const procedures = proceduresOf(router)
  for (const [name, procedure] of Object.entries(procedures)) {
    const { _def } = procedure
    const run = async (call: Call) => {
      const result = await proceed(_def, 0, call)
      if (!result.ok) throw result.error
      return result.data
    }
    procedures[name] = Object.assign(run, procedure)
  }
  return router
}

async function proceed(definition: ProcedureDefinition, index: number, call: Call): Promise<Result> {
  try {
    const middleware = definition.middlewares[index]
    if (!middleware) throw new Error('the chain of middlewares has no end')
    return await middleware({
      ...call,
      input: call.input,
      meta: definition.meta,
      next: (change) =>
        proceed(definition, index + 1, {
          ...call,
          ctx: change?.ctx ? { ...call.ctx, ...change.ctx } : call.ctx,
          input: change && 'input' in change ? change.input : call.input,
          getRawInput: change?.getRawInput ?? call.getRawInput,
        }),
    })
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) }
  }
}
