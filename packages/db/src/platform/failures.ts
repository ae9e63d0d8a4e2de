/**
 * The name of the unique index, check or trigger that rejected a statement; undefined for any other
 * failure.
 */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('constraint' in error))
    return undefined
  return typeof error.code === 'string' &&
    error.code.startsWith('23') &&
    typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

/**
 * SQLSTATE of connections that are lost (08), rejected (28 authorization, 3D000 no such database,
 * 55000 not accepting connections) or ended (57P0), of statements given up in time (57014) and of a
 * server without room (53).
 */
const unavailable = /^(08|28|3D000|55000|57P0|57014|53)/
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
])

/**
 * True when the database cannot be reached, rejects the connection, ends the session, has no room
 * left or gave a statement up in time: the caller may try again later.
 */
export function isUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (unavailable.test(code) || unreachable.has(code)) return true
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|^timeout expired$|Client has encountered a connection error/.test(
      error.message,
    )
  )
}
