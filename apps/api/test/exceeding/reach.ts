import type { LimitName } from '@atrium/core/platform/limits'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { type SchedulingTestApp, startSchedulingTestApp } from '@atrium/testing/scheduling-test-app'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { type PartnersTestApp, startPartnersTestApp } from '../partners-test-app.ts'

/**
 * One call that counts. `n` is 0 for the first one, so that each call can ask for something else.
 */
export type Act = (n: number) => Promise<TestResponse>

/** A test app whose setting `LIMITS` lowers one limit, and the call that reaches that limit. */
export interface Opened {
  testApp: TestApp
  act: Act
}

export interface Reach {
  /** The number that `LIMITS` sets. */
  most: number
  /** How many calls are let in with that number. */
  lets: number
  /** What a call that is let in returns. */
  status: number
  /** Whether the response tells `RateLimit-Limit`, `-Remaining` and `-Reset`. */
  headers: boolean
  /** The tenant that an operator can raise the limit for. */
  slug: string
  /** `limits` is the value of the setting `LIMITS`. */
  open(limits: string): Promise<Opened>
}

type Expected = Partial<Omit<Reach, 'open'>>
type Begin<Services> = (testApp: Services) => Act | Promise<Act>

/** At 42 seconds past a minute, later than tokens are issued: no window ends during a test. */
export const fixedNow = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 642_000)
const clock = { now: () => fixedNow }
const sandbox = { identity: { accessTokenSeconds: 80_000 } }

function reach<Services extends TestApp>(
  open: (limits: string) => Promise<Services>,
  begin: Begin<Services>,
  { most = 2, ...expected }: Expected,
): Reach {
  return {
    most,
    lets: most,
    status: 200,
    headers: true,
    slug: 'acme',
    ...expected,
    async open(limits) {
      const testApp = await open(limits)
      const act = await begin(testApp)
      return {
        testApp,
        async act(n) {
          const response = await act(n)
          // What a call leaves to do after its response is part of it.
          await testApp.app.services.background.settled()
          return response
        },
      }
    },
  }
}

/** In a test app whose tenants are not provisioned. */
export const inHouse = (begin: Begin<TestApp>, expected: Expected = {}): Reach =>
  reach(
    (LIMITS) => startTestApp({ provisioned: false, clock, sandbox, env: { LIMITS } }),
    begin,
    expected,
  )

/** In a test app whose tenants are provisioned. */
export const amongMembers = (begin: Begin<MembersTestApp>, expected: Expected = {}): Reach =>
  reach((LIMITS) => startMembersTestApp({ clock, sandbox, env: { LIMITS } }), begin, expected)

/** In a test app with mailboxes that hosts can connect. */
export const amongMailboxes = (begin: Begin<SchedulingTestApp>, expected: Expected = {}): Reach =>
  reach((LIMITS) => startSchedulingTestApp({ clock, sandbox, env: { LIMITS } }), begin, expected)

/** In a test app with staff of partners. */
export const amongPartners = (begin: Begin<PartnersTestApp>, expected: Expected = {}): Reach =>
  reach((LIMITS) => startPartnersTestApp({ clock, env: { LIMITS } }), begin, expected)

/** In a test app with booking pages. */
export const amongVisitors = (begin: Begin<BookingsTestApp>, expected: Expected = {}): Reach =>
  reach((LIMITS) => startBookingsTestApp({ env: { LIMITS } }), begin, expected)

/** The time by which the workplace goes. */
export const nowIn = (testApp: TestApp): Date => testApp.app.services.clock.now()

export type Reaches<Names extends LimitName> = Readonly<Record<Names, Reach>>
