import { queryOptions } from '@tanstack/react-query'

/** The browser's session as this portal's server reports it; signed out is not an error. */
interface Session {
  signedIn: boolean
  email?: string | null
}

/** The session, fetched once per visit: any later call shows when it has ended. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const response = await fetch('/api/session', {
      signal,
      headers: { accept: 'application/json' },
    })
    if (!response.ok) throw new Error(`The session could not be read (${response.status}).`)
    const body: unknown = await response.json()
    // Checked by hand: every visit starts with this response, and a schema would load zod first.
    if (!isSession(body)) throw new Error('The session could not be read (unexpected response).')
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
