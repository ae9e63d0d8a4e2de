import { startApi } from '@atrium/testing/api-process'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { caughtMails } from '@atrium/testing/mails'
import { afterAll, beforeAll, expect, it } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let eventTypeId: string

beforeAll(async () => {
  testApp = await startBookingsTestApp({ mailer: true })
  host = await testApp.newHost()
  eventTypeId = await testApp.newEventType(host)
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})

const calendar = () => testApp.sandbox.mail.calendars.list()[host.address] ?? []
const rows = () =>
  testApp.database.db
    .selectFrom('booking_hosts')
    .select(['booking_id as id', 'calendar_state as state', 'calendar_run as run'])
    .execute()

it('a booking whose process is killed before the calendar has it gets there by another process, once, with its mail', async () => {
  testApp.sandbox.fault({
    system: 'mail',
    match: 'CalendarEvent/set',
    mode: 'latency',
    delayMs: 10_000,
    times: 1,
  })
  await using first = await startApi(testApp)
  const body = {
    eventTypeId,
    start: testApp.at(10).toISOString(),
    attendee: { name: 'Vera', email: 'vera@example.org', timeZone: 'Europe/Paris', locale: 'en' },
  }
  const response = fetch(`${first.url}/api/v1/bookings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  }).then(
    ({ status }) => status,
    () => 'no answer',
  )
  await expect
    .poll(rows, { timeout: 45_000, interval: 20 })
    .toMatchObject([{ state: 'pending', run: expect.any(String) }])
  first.signal('SIGKILL')
  expect(await response).toBe('no answer')
  expect(calendar()).toEqual([])

  // The leases of the killed process lapse after a minute; this test does not wait for that.
  const lapsed = new Date(Date.now() - 1_000)
  const { db } = testApp.database
  await db
    .updateTable('booking_hosts')
    .set({ calendar_lease_until: lapsed })
    .where('calendar_run', 'is not', null)
    .execute()
  await db
    .updateTable('outbox')
    .set({ lease_until: lapsed })
    .where('state', '=', 'sending')
    .execute()
  await using second = await startApi(testApp)
  expect(second.url).toMatch(/^http/)
  await expect
    .poll(rows, { timeout: 45_000, interval: 100 })
    .toMatchObject([{ state: 'synced', run: null }])
  expect(calendar()).toMatchObject([{ start: testApp.at(10).getTime() }])
  const sent = () =>
    caughtMails(testApp).filter((mail) => mail.envelope.to.includes('vera@example.org'))
  await expect.poll(() => sent().length, { timeout: 45_000, interval: 100 }).toBe(1)
}, 180_000)
