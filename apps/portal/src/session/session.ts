import { ProblemError, problemFromBody } from '@atrium/ui/problem'
import { queryOptions } from '@tanstack/react-query'
import type { RouterContext } from '../trpc.ts'

/**
 * The browser's session as reported by the portal's own server. Not being signed in is a result,
 * not an error.
 */
interface Session {
  signedIn: boolean
  /** The person proved a second factor in this sign-in. */
  secondFactor: boolean
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const response = await fetch('/api/session', {
      signal,
      headers: { accept: 'application/json' },
    })
    const body: unknown = await response.json().catch(() => undefined)
    const member = (name: string): unknown =>
      typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
    const signedIn = member('signedIn')
    // Parsed by hand: every visit begins with this response, and a schema would load zod with it.
    if (!response.ok || typeof signedIn !== 'boolean')
      throw new ProblemError(problemFromBody(body, response.status))
    return { signedIn, secondFactor: member('secondFactor') === true }
  },
  // Read once per visit: every later call reports when the session has ended.
  staleTime: Number.POSITIVE_INFINITY,
})

/**
 * Finds out who is signed in before a page is shown, and caches the profile. The API checks every
 * call again. The workplace of the address is requested together with the profile, because its
 * pages show nothing without it; the page reports a failure.
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
