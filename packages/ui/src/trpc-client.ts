import { httpBatchStreamLink, httpSubscriptionLink, splitLink, type TRPCLink } from '@trpc/client'
import type { AnyTRPCRouter } from '@trpc/server'
import { observable } from '@trpc/server/observable'
import superjson from 'superjson'
import { isUnattended } from './last-input.ts'
import { requestLanguage } from './page-language.ts'
import {
  needsSignIn,
  ProblemError,
  type ProblemInfo,
  problemFromBody,
  problemOf,
} from './problem.ts'
import { recentSignIn } from './recent-sign-in.ts'
import type { SignedIn } from './sign-in-watch.ts'

interface Options {
  /** Called once, with the first rejection that says the session is over. */
  onSignedOut: () => void
}

/**
 * The links of an app's tRPC client: calls travel batched and streamed, subscriptions as
 * server-sent events, both over the app's own origin. Failures that come from the app's server and
 * not from the API arrive as ProblemError in the cause of the client's error.
 */
export function trpcLinks({ onSignedOut }: Options): TRPCLink<AnyTRPCRouter>[] {
  const url = '/trpc'
  return [
    watchSignOut(onSignedOut),
    askForRecentSignIn(recentSignIn.ask),
    splitLink({
      condition: (operation) => operation.type === 'subscription',
      true: httpSubscriptionLink({ url, transformer }),
      false: httpBatchStreamLink({
        url,
        transformer,
        maxItems: 10,
        // What the API writes comes in the language of the page.
        headers: () => ({
          'accept-language': requestLanguage,
          ...(isUnattended() && { 'x-atrium-unattended': '1' }),
        }),
        fetch: (input, init) => fetchOrProblem(input, init as RequestInit),
      }),
    }),
  ]
}

/**
 * superjson for responses. Inputs omit its notes on identical objects: the API accepts only the
 * marks of `undefined` and `Date`, and the input is complete without such notes.
 */
export const transformer = {
  input: {
    serialize(value: unknown) {
      const { json, meta } = superjson.serialize(value)
      return meta?.values ? { json, meta: { values: meta.values, v: meta.v } } : { json }
    },
    deserialize: superjson.deserialize,
  },
  output: superjson,
}

/** Where the browser goes to sign in and come back to the page it is on. */
export function signInAddress(
  location: Pick<Location, 'pathname' | 'search'> = window.location,
): string {
  return `/auth/login?${new URLSearchParams({ returnTo: location.pathname + location.search })}`
}

/**
 * Reports the first call that is rejected because the session is over. A call that came with the
 * cookie of a session that a new sign-in has just replaced is repeated instead.
 */
export function watchSignOut(
  onSignedOut: () => void,
  readSession: () => Promise<Pick<SignedIn, 'signedIn'>> = readSessionLate,
): TRPCLink<AnyTRPCRouter> {
  let reported = false
  return repeatOnce(async (problem, repeated) => {
    if (!needsSignIn(problem) || reported) return false
    const replaced = !repeated && (await readSession().catch(() => undefined))?.signedIn === true
    if (replaced || reported) return replaced
    reported = true
    onSignedOut()
    return false
  })
}

/** Loaded only when it is needed: it brings zod, which the first load of a page does without. */
async function readSessionLate(): Promise<SignedIn> {
  const { readSignedIn } = await import('./sign-in-watch.ts')
  return readSignedIn()
}

/**
 * A call that is rejected because the sign-in is too old waits for the person: it is repeated after
 * they have signed in again, and is rejected when they dismiss the dialog.
 */
export function askForRecentSignIn(
  ask: (message: string) => Promise<boolean>,
): TRPCLink<AnyTRPCRouter> {
  return repeatOnce(
    async (problem, repeated) =>
      problem.code === 'recent_sign_in_required' && !repeated && (await ask(problem.message)),
  )
}

/**
 * A link that asks `decide` about every rejection, and makes the call once more, with the same
 * input, where it resolves to true. Only for rejections before any effect, so that no change is
 * made twice.
 */
function repeatOnce(
  decide: (problem: ProblemInfo, repeated: boolean) => Promise<boolean>,
): TRPCLink<AnyTRPCRouter> {
  return () =>
    ({ op, next }) =>
      observable((observer) => {
        let left = false
        const call = (repeated: boolean) =>
          next(op).subscribe({
            next: (value) => observer.next(value),
            complete: () => observer.complete(),
            error(error) {
              void decide(problemOf(error), repeated).then((again) => {
                if (left) return
                if (again && !repeated) current = call(true)
                else observer.error(error)
              })
            },
          })
        let current = call(false)
        return () => {
          left = true
          current.unsubscribe()
        }
      })
}

/**
 * `fetch` that turns problem details into an error, because tRPC would report such a body only as
 * one it cannot parse.
 */
async function fetchOrProblem(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init)
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return response
  const body: unknown = await response.json().catch(() => undefined)
  throw new ProblemError(problemFromBody(body, response.status))
}
