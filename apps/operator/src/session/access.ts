import { problemOf } from '@atrium/ui/problem'
import type { QueryClient } from '@tanstack/react-query'
import type { RouterContext } from '../trpc.ts'
import { sessionQuery } from './session.ts'

/** Codes with which the API turns away a person who is signed in. */
export const rejectionCodes = [
  'operator_required',
  'not_platform_admin',
  'user_deactivated',
] as const
export type RejectionCode = (typeof rejectionCodes)[number]

/** Thrown before a page is shown: nobody is signed in, or somebody who is no operator. */
export class AccessRejection extends Error {
  readonly reason: 'signed_out' | RejectionCode

  constructor(reason: AccessRejection['reason']) {
    super(reason)
    this.name = 'AccessRefusal'
    this.reason = reason
  }
}

const rejectionKey = ['access-refusal']

/** The rejection that a failed call stands for; undefined when it failed for another reason. */
export function rejectionOf(error: unknown): RejectionCode | undefined {
  const { code } = problemOf(error)
  return rejectionCodes.find((rejection) => rejection === code)
}

/**
 * Keeps a rejection that a page met later on (the right was withdrawn meanwhile), so that the next
 * look at access finds it.
 */
export function rememberRejection(queryClient: QueryClient, code: RejectionCode): void {
  queryClient.setQueryData(rejectionKey, code)
}

/**
 * Asks for session and profile again, so that a right that was granted meanwhile is seen. What
 * fails keeps its last answer.
 */
export async function recheckAccess({ queryClient, trpc }: RouterContext): Promise<void> {
  queryClient.removeQueries({ queryKey: rejectionKey })
  await Promise.allSettled([
    queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }),
    queryClient.fetchQuery({ ...trpc.users.me.queryOptions(), staleTime: 0 }),
  ])
}

/**
 * Lets operators through and throws AccessRefusal for everybody else. The flag is read from the
 * stored user, not from the token; the API checks it again on every call, so this decides only
 * which page is shown. The tenant of the address is asked for in the same request as the profile,
 * because its page shows nothing without it; a failure is the page's to report.
 */
export async function requireOperator(
  { queryClient, trpc }: RouterContext,
  slug: string | undefined,
): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery)
  if (!session.signedIn) throw new AccessRejection('signed_out')
  const remembered = queryClient.getQueryData<RejectionCode>(rejectionKey)
  if (remembered) throw new AccessRejection(remembered)
  if (slug !== undefined)
    queryClient.ensureQueryData(trpc.tenants.get.queryOptions({ slug })).catch(() => undefined)
  const me = await queryClient
    .ensureQueryData(trpc.users.me.queryOptions())
    .catch((error: unknown) => {
      const rejection = rejectionOf(error)
      throw rejection ? new AccessRejection(rejection) : error
    })
  if (!me.platformAdmin) throw new AccessRejection('not_platform_admin')
}
