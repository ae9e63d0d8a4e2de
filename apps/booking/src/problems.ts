import type { ErrorCode, Issue } from '@atrium/core/platform/errors'
import { TRPCClientError } from '@trpc/client'

/** Why the API did not do what it was asked. */
export interface Problem {
  /** Our code; `unreachable` when there was no response or an unreadable one. */
  code: ErrorCode | 'unreachable'
  /** A sentence of the API to show unchanged; empty when it is unreachable. */
  message: string
  status: number
  issues: readonly Issue[]
}

const unreachable: Problem = {
  code: 'unreachable',
  message: '',
  status: 503,
  issues: [],
}

/**
 * Converts an error thrown by a call to its rejection. Rethrows any other error: it is a bug of
 * ours.
 */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof TRPCClientError)) throw error
  const data: unknown = error.data
  if (
    typeof data !== 'object' ||
    data === null ||
    !('code' in data) ||
    typeof data.code !== 'string'
  )
    return unreachable
  const status = 'httpStatus' in data && typeof data.httpStatus === 'number' ? data.httpStatus : 500
  const issues = 'issues' in data && Array.isArray(data.issues) ? (data.issues as Issue[]) : []
  return { code: data.code as ErrorCode, message: error.message, status, issues }
}

/** The response, or why there is none. */
export async function attempt<Result>(
  call: Promise<Result>,
): Promise<{ ok: true; result: Result } | { ok: false; problem: Problem }> {
  try {
    return { ok: true, result: await call }
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

/** `{ field: sentence }` from the issues of a rejected form; the first issue of a field counts. */
export function fieldErrors({ issues }: Problem): Record<string, string> {
  // Entries and not assignments: a path may be `constructor`, which every object has.
  return Object.fromEntries(issues.toReversed().map(({ path, message }) => [path, message]))
}
