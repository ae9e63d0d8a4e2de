import type { AnyRouter } from '@trpc/server'

/** What tRPC 11 keeps of a procedure at run time. */
interface ProcedureDefinition {
  meta?: unknown
  type: 'query' | 'mutation' | 'subscription'
}

interface Call {
  ctx: object
  path: string
  type: ProcedureDefinition['type']
  /** The call's place in its batch. */
  batchIndex: number
  getRawInput: () => Promise<unknown>
  signal?: AbortSignal | undefined
}

export type RunnableProcedure = ((call: Call) => Promise<unknown>) & { _def: ProcedureDefinition }

/** Every procedure by its dotted name. At run time the record is flat; its type mirrors the nesting. */
export function proceduresOf(router: AnyRouter): Record<string, RunnableProcedure> {
  return router._def.procedures as unknown as Record<string, RunnableProcedure>
}
