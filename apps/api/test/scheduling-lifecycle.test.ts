import { setTimeout as delay } from 'node:timers/promises'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestBooking,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import type { TestResponse } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { onDatabaseTime } from '../src/database-time.ts'
import type { Services } from '../src/rpc/services.ts'
import { expireBookings } from '../src/scheduling/bookings/expire.ts'
import { drainCalendars } from '../src/scheduling/calendars/sync.ts'

let testApp: BookingsTestApp
let host: TestHost
let eventTypeId: string

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(10_000) })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
beforeEach(async () => {
  testApp.sandbox.clearFaults()
  testApp.time.now = testApp.at(0)
  host = await testApp.newHost()
  eventTypeId = await testApp.newEventType(host)
})

const book = (hours = 10, fields: Partial<Parameters<BookingsTestApp['book']>[0]> = {}) =>
  testApp.book({ host, eventTypeId, start: testApp.at(hours), ...fields })
const post = async (booking: TestBooking, action: string, body?: object) =>
  testApp.act(await host.token(), 'POST', `/${booking.id}/${action}`, body)
const move = (booking: TestBooking, hours: number) =>
  testApp.visit('POST', '/reschedule', booking.token, { start: testApp.at(hours).toISOString() })
const stored = (booking: TestBooking) =>
  testApp.database.db
    .selectFrom('bookings')
    .selectAll()
    .where('id', '=', booking.id)
    .executeTakeFirstOrThrow()
const claims = (booking: TestBooking) =>
  testApp.database.db
    .selectFrom('booking_hosts')
    .selectAll()
    .where('booking_id', '=', booking.id)
    .execute()
const later = (hours: number): Services => ({
  ...testApp.app.services,
  clock: { now: () => testApp.at(hours) },
})
const told = (responses: readonly TestResponse[]) =>
  responses.map(({ status, body }) => (status === 200 ? 'ok' : String(body.code))).sort()
const inParallel = (count: number, act: (index: number) => Promise<TestResponse>) =>
  Promise.all(Array.from({ length: count }, (_, i) => act(i)))

describe('races', () => {
  it('lets one of twenty confirmations through', async () => {
    const booking = await book(10, { status: 'pending' })
    const responses = await inParallel(20, () => post(booking, 'confirm'))
    expect(told(responses)).toEqual([...Array.from({ length: 19 }, () => 'invalid_state'), 'ok'])
    expect(await testApp.history(booking)).toEqual(['requested', 'confirmed'])
    expect((await stored(booking)).version).toBe(2)
  })

  it('lets one of ten bookings move to a time that all of them want', async () => {
    const bookings: TestBooking[] = []
    for (let i = 0; i < 10; i++) bookings.push(await book(i))
    const responses = await inParallel(10, (i) => move(bookings[i] as TestBooking, 20))
    expect(told(responses)).toEqual(['ok', ...Array.from({ length: 9 }, () => 'slot_taken')])
    const starts = await Promise.all(
      bookings.map(async (booking) => (await stored(booking)).start_at.getTime()),
    )
    expect(starts.filter((start) => start === testApp.at(20).getTime())).toHaveLength(1)
  })

  it('moves a booking once, however often the same move is sent', async () => {
    const booking = await book()
    const responses = await inParallel(10, () => move(booking, 12))
    expect(told(responses)).toEqual(Array.from({ length: 10 }, () => 'ok'))
    expect(await stored(booking)).toMatchObject({
      sequence: 1,
      version: 2,
      start_at: testApp.at(12),
    })
    expect(await testApp.history(booking)).toEqual(['confirmed', 'rescheduled'])
  })

  it('cancels a booking once, and a move that meets it leaves nothing behind', async () => {
    for (let round = 0; round < 5; round++) {
      const booking = await book(10 + round)
      const responses = await Promise.all([
        ...Array.from({ length: 3 }, () => testApp.visit('POST', '/cancel', booking.token, {})),
        ...[30, 31, 32].map((hours) => move(booking, hours)),
      ])
      expect(told(responses.slice(0, 3))).toEqual(['ok', 'ok', 'ok'])
      for (const answer of told(responses.slice(3)))
        expect(['ok', 'invalid_state']).toContain(answer)
      const history = await testApp.history(booking)
      expect(history.filter((kind) => kind === 'cancelled')).toHaveLength(1)
      expect(history.at(-1)).toBe('cancelled')
      expect(await stored(booking)).toMatchObject({
        status: 'cancelled',
        sequence: history.length - 1,
        version: history.length,
      })
      expect((await claims(booking)).map(({ active }) => active)).toEqual([false])
      await drainCalendars(testApp.app.services)
      expect(await testApp.event(booking)).toBeUndefined()
    }
  })

  it('swaps no two bookings at once, and breaks over none', async () => {
    const [one, other] = [await book(10), await book(12)]
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all([move(one, 12), move(other, 10)])
      expect(told(responses)).toEqual(['slot_taken', 'slot_taken'])
    }
  })

  it('decides between a confirmation and the end of its time for one of them', async () => {
    for (let round = 0; round < 8; round++) {
      const booking = await book(40 + round, {
        status: 'pending',
        approvalExpiresAt: testApp.at(5),
      })
      const expire = () => delay(round * 6).then(() => expireBookings(later(6)))
      const [answer] = await Promise.all([post(booking, 'confirm'), expire(), expire()])
      const { status, version } = await stored(booking)
      expect(status).toBe(answer.status === 200 ? 'confirmed' : 'expired')
      expect(version).toBe(2)
      expect(await testApp.history(booking)).toEqual(['requested', status])
      expect((await claims(booking)).map(({ active }) => active)).toEqual([status === 'confirmed'])
    }
  })

  it('never sells more places of a shared start than there are, also by moves', async () => {
    const shared = await testApp.newEventType(host, { seats: 3 })
    const bookings: TestBooking[] = []
    for (let i = 0; i < 6; i++)
      bookings.push(await testApp.book({ host, eventTypeId: shared, start: testApp.at(i) }))
    const responses = await inParallel(6, (i) => move(bookings[i] as TestBooking, 20))
    expect(told(responses)).toEqual(['ok', 'ok', 'ok', 'slot_taken', 'slot_taken', 'slot_taken'])
  })
})

describe('the end of a request', () => {
  it('waits for the time of the database where the clock of the machine is ahead', async () => {
    const booking = await book(60, { status: 'pending', approvalExpiresAt: testApp.at(4) })
    const aheadMs = 400 * 86_400_000
    const right = Date.now
    Date.now = () => right() + aheadMs
    try {
      const ahead = {
        ...testApp.app.services,
        clock: { now: () => new Date(testApp.at(0).getTime() + aheadMs) },
      }
      await expireBookings(await onDatabaseTime(ahead))
      expect(await stored(booking)).toMatchObject({ status: 'pending', version: 1 })
    } finally {
      Date.now = right
    }
    await expireBookings(await onDatabaseTime(later(5)))
    expect(await stored(booking)).toMatchObject({ status: 'expired' })
  })

  it('comes with its start or with the time for an answer, once, and the time is free', async () => {
    const [begun, unanswered, waiting] = [
      await book(3, { status: 'pending' }),
      await book(60, { status: 'pending', approvalExpiresAt: testApp.at(4) }),
      await book(8, { status: 'pending' }),
    ]
    testApp.time.now = testApp.at(4)
    await Promise.all([1, 2, 3, 4].map(() => expireBookings(testApp.app.services)))
    for (const booking of [begun, unanswered]) {
      expect(await stored(booking)).toMatchObject({
        status: 'expired',
        ended_by: 'system',
        version: 2,
      })
      expect(await testApp.history(booking)).toEqual(['requested', 'expired'])
      expect((await claims(booking)).map(({ active }) => active)).toEqual([false])
    }
    expect(await stored(waiting)).toMatchObject({ status: 'pending', version: 1 })
    const mails = await testApp.mails(unanswered)
    await expireBookings(testApp.app.services)
    expect(await testApp.mails(unanswered)).toEqual(mails)
    const audit = await testApp.database.db
      .selectFrom('audit_events')
      .select(['actor_type', 'source'])
      .where('action', '=', 'booking.expired')
      .where('resource_id', '=', unanswered.id)
      .execute()
    expect(audit).toEqual([{ actor_type: 'system', source: 'job' }])
  })
})

const outages = [
  { mode: 'timeout' },
  { mode: 'error', status: 503 },
  { mode: 'reset' },
  { mode: 'garbage' },
  { mode: 'shape' },
  { mode: 'latency', delayMs: 8_000 },
] as const

describe.each(outages)('a calendar that fails: %o', (fault) => {
  const failing = (match?: string) =>
    testApp.sandbox.fault({ system: 'mail', ...(match === undefined ? {} : { match }), ...fault })
  /** Everything fails, and nobody waits long to learn it. */
  const away = () => {
    const { systems } = testApp.app.services
    const patient = systems.calendars
    systems.calendars = clientsWithDeadline(500)(systems, testApp.config).calendars
    failing()
    return () => {
      testApp.sandbox.clearFaults()
      systems.calendars = patient
    }
  }

  it('does not block cancelling; the event is deleted when the calendar is back', async () => {
    const booking = await book()
    const back = away()
    const { status, body } = await testApp.visit('POST', '/cancel', booking.token, {})
    expect({ status, booking: body.status, sync: body.calendarSync }).toEqual({
      status: 200,
      booking: 'cancelled',
      sync: 'pending',
    })
    const shown = (await testApp.act(await host.token(), 'GET', `/${booking.id}`)).body.hosts[0]
      .calendar
    expect(shown).toMatchObject({
      state: 'pending',
      error: expect.any(String),
      nextAt: expect.any(String),
    })
    await testApp.book({ host, eventTypeId, start: testApp.at(10), status: 'pending' })
    back()
    testApp.time.now = testApp.at(1)
    await drainCalendars(testApp.app.services)
    expect(await testApp.event(booking)).toBeUndefined()
    expect((await testApp.visit('GET', '', booking.token)).body.booking.calendarSync).toBe('none')
  })

  it('offers nothing to move to, and nothing is moved or decided', async () => {
    const [booking, request] = [await book(), await book(15, { status: 'pending' })]
    const [before, undecided] = [await stored(booking), await stored(request)]
    const back = away()
    const responses = [
      await move(booking, 12),
      await post(booking, 'reschedule', { start: testApp.at(12).toISOString() }),
      await post(request, 'confirm'),
    ]
    back()
    for (const { status, body, headers } of responses) {
      expect({ status, code: body.code, retry: headers.get('retry-after') }).toEqual({
        status: 503,
        code: 'calendar_unavailable',
        retry: '5',
      })
    }
    expect(await stored(booking)).toEqual(before)
    expect(await stored(request)).toEqual(undecided)
  })

  it('that can be read but not written leaves a mark, and is brought along later', async () => {
    const booking = await book()
    failing('CalendarEvent/set')
    const { status, body } = await move(booking, 12)
    expect({ status, start: body.start, sync: body.calendarSync }).toEqual({
      status: 200,
      start: testApp.at(12).toISOString(),
      sync: 'pending',
    })
    testApp.sandbox.clearFaults()
    // The first try may still be waiting for its answer; nobody else writes until it has given up.
    const tryLater = async () => {
      testApp.time.now = new Date(testApp.time.now.getTime() + 5 * 60_000)
      await drainCalendars(testApp.app.services)
      return (await testApp.visit('GET', '', booking.token)).body.booking.calendarSync
    }
    await expect.poll(tryLater, { timeout: 30_000, interval: 500 }).toBe('synced')
    expect(await testApp.event(booking)).toEqual({
      start: testApp.at(12).getTime(),
      end: testApp.at(12.5).getTime(),
    })
  }, 60_000)
})

/**
 * What a booking should be after each act: the table of states of docs/reference/contract.md,
 * written down once more by hand.
 */
interface Model {
  now: number
  status: 'pending' | 'confirmed' | 'cancelled' | 'declined' | 'expired'
  start: number
  decideUntil: number
  invited: boolean
  sequence: number
  version: number
  noShow: boolean
  token: string
}
const [approval, approvalAfterMove] = [6, 72]
const [cancelCutoff, moveCutoff] = [1, 2]
type Act =
  | {
      act:
        | 'confirm'
        | 'decline'
        | 'no-show'
        | 'new-link'
        | 'host cancels'
        | 'visitor cancels'
        | 'job runs'
    }
  | { act: 'host moves' | 'visitor moves'; to: number }
  | { act: 'time passes'; hours: number }

describe('any order of acts', () => {
  const acts: fc.Arbitrary<Act> = fc.oneof(
    fc.record({
      act: fc.constantFrom(
        'confirm',
        'decline',
        'no-show',
        'new-link',
        'host cancels',
        'visitor cancels',
        'job runs',
      ),
    }),
    fc.record({
      act: fc.constantFrom('host moves', 'visitor moves'),
      to: fc.integer({ min: 0, max: 20 }),
    }),
    fc.record({ act: fc.constant('time passes'), hours: fc.constantFrom(0.25, 1, 3) }),
  )

  const isPast = (model: Model) =>
    model.status === 'pending'
      ? model.now >= model.start || model.now >= model.decideUntil
      : model.now >= model.start + 0.5
  const change = (model: Model, fields: Partial<Model>) =>
    Object.assign(model, fields, { version: model.version + 1 })
  const raised = ({ sequence, invited }: Model) => (invited ? sequence + 1 : sequence)

  function cancelled(model: Model, visitor: boolean): string {
    if (model.status === 'cancelled') return 'ok'
    if (model.status !== 'pending' && model.status !== 'confirmed') return 'invalid_state'
    if (visitor && model.now > model.start - cancelCutoff) return 'cutoff_passed'
    if (isPast(model)) return 'invalid_state'
    change(model, { status: 'cancelled', sequence: raised(model) })
    return 'ok'
  }

  function moved(model: Model, to: number, visitor: boolean): string {
    if (model.status !== 'pending' && model.status !== 'confirmed') return 'invalid_state'
    if (visitor && model.now > model.start - moveCutoff) return 'cutoff_passed'
    if (isPast(model)) return 'invalid_state'
    if (to === model.start) return 'ok'
    if (to < model.now) return 'too_soon'
    change(model, {
      start: to,
      sequence: raised(model),
      decideUntil: Math.min(to, model.now + approvalAfterMove),
    })
    return 'ok'
  }

  /**
   * Carries an act out on the model, and returns what the service should say; undefined for what
   * nobody is told.
   */
  function expected(model: Model, act: Act): string | undefined {
    const visitors = act.act === 'visitor cancels' || act.act === 'visitor moves'
    if (visitors && model.now >= model.start + 24.5) return 'not_found'
    const undecided = model.status === 'pending' && !isPast(model)
    switch (act.act) {
      case 'confirm':
        if (!undecided) return 'invalid_state'
        change(model, { status: 'confirmed', invited: true })
        return 'ok'
      case 'decline':
        if (!undecided) return 'invalid_state'
        change(model, { status: 'declined' })
        return 'ok'
      case 'no-show':
        if (model.status !== 'confirmed' || !isPast(model)) return 'invalid_state'
        if (!model.noShow) change(model, { noShow: true })
        return 'ok'
      case 'new-link':
        if ((model.status !== 'pending' && model.status !== 'confirmed') || isPast(model))
          return 'invalid_state'
        change(model, {})
        return 'ok'
      case 'host cancels':
        return cancelled(model, false)
      case 'visitor cancels':
        return cancelled(model, true)
      case 'host moves':
        return moved(model, act.to, false)
      case 'visitor moves':
        return moved(model, act.to, true)
      case 'job runs':
        if (model.status === 'pending' && isPast(model)) change(model, { status: 'expired' })
        return undefined
      case 'time passes':
        model.now += act.hours
        return undefined
    }
  }

  async function carryOut(
    booking: TestBooking,
    model: Model,
    act: Act,
  ): Promise<string | undefined> {
    const say = ({ status, body }: TestResponse) => (status === 200 ? 'ok' : String(body.code))
    const visitor = (path: string, body: object) =>
      testApp.visit('POST', path, model.token, body).then(say)
    const byHost = (path: string, body: object = {}) => post(booking, path, body).then(say)
    switch (act.act) {
      case 'confirm':
      case 'decline':
      case 'no-show':
        return byHost(act.act)
      case 'new-link': {
        const answer = await post(booking, 'new-link')
        if (answer.status === 200) model.token = answer.body.manageToken
        return say(answer)
      }
      case 'host cancels':
        return byHost('cancel', { reason: 'Ill' })
      case 'visitor cancels':
        return visitor('/cancel', {})
      case 'host moves':
        return byHost('reschedule', { start: testApp.at(act.to).toISOString() })
      case 'visitor moves':
        return visitor('/reschedule', { start: testApp.at(act.to).toISOString() })
      case 'job runs':
        await expireBookings(testApp.app.services)
        return undefined
      case 'time passes':
        testApp.time.now = testApp.at(model.now)
        return undefined
    }
  }

  it('ends where the table of states says, and every answer is the one that it names', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(acts, { minLength: 4, maxLength: 14 }),
        fc.boolean(),
        async (sequence, asksFirst) => {
          testApp.time.now = testApp.at(0)
          const own = await testApp.newHost()
          host = own
          const offered = await testApp.newEventType(own, {
            cancel_cutoff_minutes: cancelCutoff * 60,
            reschedule_cutoff_minutes: moveCutoff * 60,
          })
          const status = asksFirst ? 'pending' : 'confirmed'
          const booking = await testApp.book({
            host: own,
            eventTypeId: offered,
            start: testApp.at(8),
            status,
            approvalExpiresAt: testApp.at(approval),
          })
          const model: Model = {
            now: 0,
            status,
            start: 8,
            decideUntil: approval,
            invited: !asksFirst,
            sequence: 0,
            version: 1,
            noShow: false,
            token: booking.token,
          }
          for (const act of sequence) {
            const requested = expected(model, act)
            expect(await carryOut(booking, model, act), JSON.stringify({ act, model })).toBe(
              requested,
            )
            const row = await stored(booking)
            expect({
              status: row.status,
              start: row.start_at,
              end: row.end_at,
              sequence: row.sequence,
              version: row.version,
              noShow: row.no_show,
            }).toEqual({
              status: model.status,
              start: testApp.at(model.start),
              end: testApp.at(model.start + 0.5),
              sequence: model.sequence,
              version: model.version,
              noShow: model.noShow,
            })
            expect((await testApp.history(booking)).length).toBe(model.version)
            const holds = model.status === 'pending' || model.status === 'confirmed'
            expect((await claims(booking)).map(({ active }) => active)).toEqual([holds])
          }
          await drainCalendars(testApp.app.services)
          const event = await testApp.event(booking)
          expect(event?.start).toBe(
            model.status === 'confirmed' ? testApp.at(model.start).getTime() : undefined,
          )
        },
      ),
      { numRuns: 25 },
    )
  }, 120_000)
})
