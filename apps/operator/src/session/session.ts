import { queryOptions } from '@tanstack/react-query'

/**
 * What this portal's own server says about the browser's session. Nobody being signed in is an
 * answer, not an error.
 */
interface Session {
  signedIn: boolean
  email?: string | null
}

/** The session; read once per visit, because every later call tells when it has ended. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const response = await fetch('/api/session', {
      signal,
      headers: { accept: 'application/json' },
    })
    if (!response.ok) throw new Error(`The session could not be read (${response.status}).`)
    const body: unknown = await response.json()
    // Read by hand: every visit begins with this answer, and a schema would load zod before it.
    if (!isSession(body))
      throw new Error('The session could not be read (its answer has another form).')
    return body
  },
  staleTime: Number.POSITIVE_INFINITY,
})

function isSession(body: unknown): body is Session {
  if (
    typeof body !== 'object' ||
    body === null ||
    !('signedIn' in body) ||
    typeof body.signedIn !== 'boolean'
  )
    return false
  return !('email' in body) || body.email === null || typeof body.email === 'string'
}
