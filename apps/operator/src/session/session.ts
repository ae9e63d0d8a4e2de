import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'

/** What this portal's own server says about the browser's session. Nobody being signed in is an answer, not an error. */
const Session = z.object({
  signedIn: z.boolean(),
  email: z.string().nullish(),
  name: z.string().nullish(),
})
export type Session = z.infer<typeof Session>

/** The session; read once per visit, because every later call tells when it has ended. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const response = await fetch('/api/session', { signal, headers: { accept: 'application/json' } })
    if (!response.ok) throw new Error(`The session could not be read (${response.status}).`)
    return Session.parse(await response.json())
  },
  staleTime: Number.POSITIVE_INFINITY,
})
