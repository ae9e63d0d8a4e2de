import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let eventTypeId: string
beforeAll(async () => {
  testApp = await startBookingsTestApp()
  host = await testApp.newHost()
  eventTypeId = await testApp.newEventType(host, { requires_confirmation: true })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const textOf = (query: unknown): string =>
  (typeof query === 'string' ? query : (query as { text?: string }).text)
    ?.replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .trim() ?? 'a read by key'

/** Not what begins and ends a transaction, and not the job engine's. */
const isOurs = (text: string) => !/^(begin|commit)\b/i.test(text) && !text.includes('jobs.')
const readsBooking = (text: string) => text.includes('from bookings as b inner join tenants as t')

/** The statements until the response, of a request for a time `hours` from now that is decided. */
async function costOf(
  action: string,
  hours: number,
  body: Record<string, unknown>,
): Promise<string[]> {
  const booking = await testApp.book({
    host,
    eventTypeId,
    start: testApp.at(hours),
    status: 'pending',
  })
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const { status } = await testApp.act(await host.token(), 'POST', `/${booking.id}/${action}`, body)
  const statements = query.mock.calls.map(([text]) => textOf(text)).filter(isOurs)
  query.mockRestore()
  expect(status).toBe(200)
  return statements
}

it.each([
  // Its calendar is written before the response, and the writer reads the booking for itself.
  { action: 'confirm', hours: 30, body: {}, statements: 36, reads: 4 },
  { action: 'decline', hours: 60, body: { reason: 'No time' }, statements: 18, reads: 3 },
])(
  '$action reads the booking before, under its lock and after: $statements statements',
  async ({ action, hours, body, ...expected }) => {
    const costs = []
    // The process does other work now and then, so the cheapest of five counts.
    for (let n = 0; n < 5; n++) costs.push(await costOf(action, hours + 2 * n, body))
    const cheapest = costs.toSorted((one, other) => one.length - other.length)[0] ?? []
    expect(
      { statements: cheapest.length, reads: cheapest.filter(readsBooking).length },
      cheapest.join('\n'),
    ).toEqual(expected)
  },
)
