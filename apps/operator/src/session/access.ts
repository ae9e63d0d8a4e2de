import { problemOf } from '@atrium/ui/problem'
import type { QueryClient } from '@tanstack/react-query'
import type { RouterContext } from '../trpc.ts'
import { sessionQuery } from './session.ts'

/** Codes with which the API turns away a person who is signed in. */
export const refusalCodes = ['operator_required', 'not_platform_admin', 'user_deactivated'] as const
export type RefusalCode = (typeof refusalCodes)[number]

/** Thrown before a page is shown: nobody is signed in, or somebody who is no operator. */
export class AccessRefusal extends Error {
  readonly reason: 'signed_out' | RefusalCode

  constructor(reason: AccessRefusal['reason']) {
    super(reason)
    this.name = 'AccessRefusal'
    this.reason = reason
  }
}

const refusalKey = ['access-refusal']

/** The refusal that a failed call stands for; undefined when it failed for another reason. */
export function refusalOf(error: unknown): RefusalCode | undefined {
  const { code } = problemOf(error)
  return refusalCodes.find((refusal) => refusal === code)
}

/** Keeps a refusal that a page met later on (the right was withdrawn meanwhile), so that the next look at access finds it. */
export function rememberRefusal(queryClient: QueryClient, code: RefusalCode): void {
  queryClient.setQueryData(refusalKey, code)
}

/** Asks for session and profile anew, so that a right that was granted meanwhile is seen. What fails keeps its last answer. */
export async function recheckAccess({ queryClient, trpc }: RouterContext): Promise<void> {
  queryClient.removeQueries({ queryKey: refusalKey })
  await Promise.allSettled([
    queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }),
    queryClient.fetchQuery({ ...trpc.users.me.queryOptions(), staleTime: 0 }),
  ])
}

/**
 * Lets operators through and throws AccessRefusal for everybody else. The flag is read from the stored user, not from the token;
 * the API checks it again on every call, so this decides only which page is shown.
 */
export async function requireOperator({ queryClient, trpc }: RouterContext): Promise<void> {
  const session = await queryClient.ensureQueryData(sessionQuery)
  if (!session.signedIn) throw new AccessRefusal('signed_out')
  const remembered = queryClient.getQueryData<RefusalCode>(refusalKey)
  if (remembered) throw new AccessRefusal(remembered)
  const me = await queryClient.ensureQueryData(trpc.users.me.queryOptions()).catch((error: unknown) => {
    const refusal = refusalOf(error)
    throw refusal ? new AccessRefusal(refusal) : error
  })
  if (!me.platformAdmin) throw new AccessRefusal('not_platform_admin')
}
