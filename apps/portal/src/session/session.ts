import { ProblemError, problemFromBody } from '@atrium/ui/problem'
import { queryOptions } from '@tanstack/react-query'
import type { RouterContext } from '../trpc.ts'

/**
 * What the portal's own server says about the browser's session. Nobody being signed in is an
 * answer, not an error.
 */
interface Session {
  signedIn: boolean
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const response = await fetch('/api/session', {
      signal,
      headers: { accept: 'application/json' },
    })
    const body: unknown = await response.json().catch(() => undefined)
    const signedIn: unknown =
      typeof body === 'object' && body !== null && 'signedIn' in body ? body.signedIn : undefined
    // Read by hand: this is the one answer that every visit begins with, and a schema would load
    // zod with it.
    if (!response.ok || typeof signedIn !== 'boolean')
      throw new ProblemError(problemFromBody(body, response.status))
    return { signedIn }
  },
  // Read once per visit: every later call tells when the session has ended.
  staleTime: Number.POSITIVE_INFINITY,
})

/**
 * Learns who is there before a page is shown, with the profile in the cache when somebody is. The
 * API decides every call again. The workplace of the address is asked for in the same request as
 * the profile, because its pages show nothing without it; a failure is the page's to report.
 */
export async function learnSession(
  { queryClient, trpc }: RouterContext,
  slug: string | undefined,
): Promise<void> {
  const { signedIn } = await queryClient.ensureQueryData(sessionQuery)
  if (!signedIn) return
  if (slug !== undefined)
    queryClient.ensureQueryData(trpc.tenants.get.queryOptions({ slug })).catch(() => undefined)
  await queryClient.ensureQueryData(trpc.users.me.queryOptions())
}
