import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { newAddress, wish } from '@atrium/testing/visitors'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from './visitors-and-owners.ts'

let testApp: BookingsTestApp
let processes: ApiProcess[] = []
let host: TestHost
beforeAll(async () => {
  testApp = await startBookingsTestApp({ manyChanges: true })
  processes = await Promise.all([startApi(testApp), startApi(testApp)])
  host = await testApp.newHost()
}, 180_000)
afterAll(async () => {
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  await testApp?.[Symbol.asyncDispose]()
}, 120_000)

const visitors = rounds(150, 1_000)
const races = rounds(2, 50)

/**
 * What the visitors want, in the hour that begins at `hour`. In every second race their times only
 * overlap.
 */
const requested = [
  { kind: 'equal', minutes: 30, starts: [0] },
  { kind: 'overlapping', minutes: 60, starts: [0, 0.25, 0.5, 0.75] },
] as const

/** One visitor's attempt, at the process that is theirs; the code of a rejection besides. */
async function attempt(n: number, eventType: string, start: Date): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
    'x-forwarded-for': newAddress(),
  }
  const url = processes[n % processes.length]?.url ?? ''
  const told = await ask(url, '/api/v1/bookings', {
    method: 'POST',
    headers,
    body: JSON.stringify(wish(eventType, start)),
  }).catch((error: unknown) => ({ status: 599, body: { code: String(error) } }))
  return told.status === 201 ? '201' : `${told.status} ${told.body.code}`
}

/**
 * Deadlocks in the database of this test. Sessions tell what they counted a second later at most.
 */
async function deadlocks(): Promise<number> {
  await new Promise((done) => setTimeout(done, 1_100))
  const { rows } = await sql<{ count: number }>`
    select deadlocks::int as count from pg_stat_database where datname = current_database()`.execute(
    testApp.database.db,
  )
  return rows[0]?.count ?? Number.NaN
}

it('one of all who want a time gets it', async () => {
  const spread = new Map<string, number>()
  const winners: number[] = []
  const began = performance.now()
  for (let race = 0; race < races; race++) {
    const { kind, minutes, starts } = requested[race % requested.length] ?? requested[0]
    const eventType = await testApp.newEventType(host, { durations: [minutes], step_minutes: 15 })
    const hour = 24 + race * 3
    const responses = await Promise.all(
      Array.from({ length: visitors }, (_, n) =>
        attempt(n, eventType, testApp.at(hour + (starts[n % starts.length] ?? 0))),
      ),
    )
    winners.push(responses.filter((answer) => answer === '201').length)
    for (const answer of responses)
      spread.set(`${kind}: ${answer}`, (spread.get(`${kind}: ${answer}`) ?? 0) + 1)
  }
  const seconds = (performance.now() - began) / 1000
  const met = await deadlocks()
  const claims = await testApp.database.db
    .selectFrom('booking_hosts')
    .select(['claim_start', 'claim_end'])
    .where('host_id', '=', host.id)
    .where('active', '=', true)
    .orderBy('claim_start')
    .execute()
  const overlaps = claims.filter(
    ({ claim_end }, n) => claim_end > (claims[n + 1]?.claim_start ?? claim_end),
  ).length
  const failures = [...spread].filter(([answer]) => / 5\d\d /.test(answer))
  await recordMeasurement({
    target: 'R8',
    what: `${races} races of ${visitors} visitors at two processes, for equal and for overlapping starts`,
    measured: `${winners.filter((count) => count === 1).length} with one winner, ${overlaps} overlapping bookings, ${failures.length} kinds of 5xx, ${met} deadlocks, ${Math.round((races * visitors) / seconds)} attempts/s; ${[...spread].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
    reached:
      winners.every((count) => count === 1) && overlaps === 0 && failures.length === 0 && met === 0,
  })
  expect(failures).toEqual([])
  expect(winners).toEqual(winners.map(() => 1))
  expect({ bookings: claims.length, overlaps, deadlocks: met }).toEqual({
    bookings: races,
    overlaps: 0,
    deadlocks: 0,
  })
})
