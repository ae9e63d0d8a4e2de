import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { type Issuer, startIssuer } from '@atrium/testing/issuer'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bookingsSlice } from './models/bookings.ts'
import { membersSlice } from './models/members.ts'
import { type Slice, type Trial, tryOut } from './models/slice.ts'
import { subscriptionsSlice } from './models/subscriptions.ts'

let bookings: BookingsTestApp
let testApp: TestApp
let issuer: Issuer
const clock = { now: new Date() }
const unconnected = {
  IDP_API_URL: '',
  IDP_API_TOKEN: '',
  MAIL_API_URL: '',
  MAIL_API_KEY: '',
  MAIL_PROVISIONING_ENABLED: 'false',
}
const withoutFiles = {
  FILES_API_URL: '',
  FILES_API_USER: '',
  FILES_API_TOKEN: '',
  BILLING_PAYMENTS_ENABLED: 'false',
}

beforeAll(async () => {
  issuer = await startIssuer(() => clock.now)
  bookings = await startBookingsTestApp({
    manyChanges: true,
    integrations: clientsWithDeadline(20_000),
  })
  const env = { ...unconnected, ...withoutFiles, IDP_ISSUER: issuer.url }
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    clock: { now: () => clock.now },
    env,
  })
}, 180_000)
afterAll(async () => {
  await testApp?.[Symbol.asyncDispose]()
  await bookings?.[Symbol.asyncDispose]()
  await issuer?.[Symbol.asyncDispose]()
})

/**
 * A third of the 2,000 sequences that the goal asks for, per slice; `MODEL_MINUTES` ends a slice
 * before, which then counts as missed.
 */
const minutes = inFull ? Number(process.env.MODEL_MINUTES ?? Number.POSITIVE_INFINITY) : 1 / 12
const extent = { runs: rounds(7, 667), length: rounds(15, 30), timeLimitMs: minutes * 60_000 }

/** Lists of times that are free are answers too, and there are as many kinds of them as lists. */
const mostKinds = 16

async function measure<Model extends object, Real extends object, Act>(
  slice: Slice<Model, Real, Act>,
): Promise<Trial> {
  const trial = await tryOut(slice, extent)
  const { sequences, commands, answers, seed, difference } = trial
  const kinds = [...answers]
    .toSorted(([, one], [, other]) => other - one)
    .map(([answer, count]) => `${count} × ${answer}`)
  const told =
    kinds.length > mostKinds
      ? [...kinds.slice(0, mostKinds), `${kinds.length - mostKinds} other kinds`]
      : kinds
  await recordMeasurement({
    target: 'R16',
    what: slice.name,
    measured: `${sequences} sequences, ${commands} commands, ${difference === undefined ? 'no difference' : 'a difference'} (seed ${seed}); answers ${told.join(', ')}`,
    reached: difference === undefined && commands > 0 && (!inFull || sequences >= extent.runs),
  })
  return trial
}

it.each([
  ['bookings', () => measure(bookingsSlice(bookings))],
  ['members', () => measure(membersSlice(testApp, issuer))],
  ['subscriptions', () => measure(subscriptionsSlice(testApp, issuer, clock))],
])('%s do what their model does, whatever is asked in whatever order', async (_name, run) => {
  const { difference, answers, commands } = await run()
  expect(difference ?? '').toBe('')
  expect(commands).toBeGreaterThan(0)
  // Sequences of rejections alone would say little.
  expect([...answers.keys()].some((answer) => answer.startsWith('ok'))).toBe(true)
})
