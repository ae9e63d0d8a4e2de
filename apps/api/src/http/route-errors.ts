import { describeError, type ErrorCode, type ErrorStatus } from '@atrium/core/platform/errors'
import { appRouter } from '../router.ts'
import { errorsOfProcedure, proceduresOf } from '../rpc/procedure.ts'
import type { RestRoute } from './rest.ts'

/**
 * Every code that an operation can be rejected with over REST, by the status that it is sent with,
 * lowest first.
 */
export function errorsOf(route: RestRoute): ReadonlyMap<ErrorStatus, readonly ErrorCode[]> {
  const procedure = proceduresOf(appRouter)[route.name]
  const codes = procedure ? errorsOfProcedure(procedure._def) : new Set<ErrorCode>()
  for (const code of ofTransport(route)) codes.add(code)
  if (codes.has('edit_conflict')) codes.add('precondition_failed')
  const byStatus = Map.groupBy(codes, (code) => describeError(code).status)
  return new Map([...byStatus].sort(([one], [other]) => one - other))
}

function ofTransport({ method, path, needsToken, visitors }: RestRoute): ErrorCode[] {
  // A value that no record can have is looked up as well, and a parameter that is given twice is
  // rejected before it.
  const address: ErrorCode[] = path.includes('{') ? ['not_found'] : []
  if (method === 'GET') return address
  if (method === 'DELETE') return [...address, 'too_large']
  const body: ErrorCode[] = [
    ...address,
    'malformed_json',
    'invalid_input',
    'unsupported_media_type',
    'too_large',
  ]
  if (method !== 'POST') return body
  // Of callers who are no visitors, a key belongs to a person.
  const key: ErrorCode[] =
    needsToken || visitors
      ? []
      : ['unauthenticated', 'token_expired', 'unexpected_issuer', 'user_deactivated']
  return [
    ...body,
    ...key,
    'idempotency_in_progress',
    'idempotency_answer_withheld',
    'idempotency_mismatch',
  ]
}
