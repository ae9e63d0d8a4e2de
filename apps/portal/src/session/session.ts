import { ProblemError, problemFromBody } from '@atrium/ui/problem'
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import type { RouterContext } from '../trpc.ts'

/** What the portal's own server says about the browser's session. Nobody being signed in is an answer, not an error. */
const Session = z.object({ signedIn: z.boolean() })

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/api/session', { signal, headers: { accept: 'application/json' } })
    const body: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw new ProblemError(problemFromBody(body, response.status))
    return Session.parse(body)
  },
  // Read once per visit: every later call tells when the session has ended.
  staleTime: Number.POSITIVE_INFINITY,
})

/** Learns who is there before a page is shown, with the profile in the cache when somebody is. The API decides every call anew. */
export async function learnSession({ queryClient, trpc }: RouterContext): Promise<void> {
  const { signedIn } = await queryClient.ensureQueryData(sessionQuery)
  if (signedIn) await queryClient.ensureQueryData(trpc.users.me.queryOptions())
}
