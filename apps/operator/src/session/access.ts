import { problemOf } from '@atrium/ui/problem'
import type { QueryClient } from '@tanstack/react-query'
import type { RouterContext } from '../trpc.ts'
import { sessionQuery } from './session.ts'

/** Codes with which the API rejects a signed-in caller. */
export const rejectionCodes = [
  'operator_required',
  'not_platform_admin',
  'user_deactivated',
] as const
export type RejectionCode = (typeof rejectionCodes)[number]

/** Thrown before a page is shown, when the caller is not signed in or not an operator. */
export class AccessRejection extends Error {
  readonly reason: 'signed_out' | RejectionCode

  constructor(reason: AccessRejection['reason']) {
    super(reason)
    this.name = 'AccessRejection'
    this.reason = reason
  }
}

const rejectionKey = ['access-rejection']

/** The rejection behind a failed call; undefined when it failed for another reason. */
export function rejectionOf(error: unknown): RejectionCode | undefined {
  const { code } = problemOf(error)
  return rejectionCodes.find((rejection) => rejection === code)
}

/**
 * Keeps a rejection of a later call (access was withdrawn meanwhile), so that the next check of
 * access finds it.
 */
export function rememberRejection(queryClient: QueryClient, code: RejectionCode): void {
  queryClient.setQueryData(rejectionKey, code)
}

/**
 * Fetches session and profile again, to notice access that was granted meanwhile. A failed fetch
 * keeps the previous result.
 */
export async function recheckAccess({ queryClient, trpc }: RouterContext): Promise<void> {
  queryClient.removeQueries({ queryKey: rejectionKey })
  await Promise.allSettled([
    queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }),
    queryClient.fetchQuery({ ...trpc.users.me.queryOptions(), staleTime: 0 }),
  ])
}

/**
 * Resolves for operators and throws `AccessRejection` for everyone else. The right is read from the
 * stored user, not from the token. The API checks it on every call, so this only decides which page
 * is shown. The tenant of the address is fetched in the same request as the profile, because its
 * page needs both; the page reports a failure.
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
