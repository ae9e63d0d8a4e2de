import { claimCalendars, saveCalendarOutcome } from '@atrium/db/scheduling/booking-calendars'
import { type EffectsTestApp, startEffectsTestApp } from '@atrium/testing/effects-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { retryCalendar, syncCalendar } from '../src/scheduling/bookings/effects.ts'
import { checkCalendars } from '../src/scheduling/calendars/drift.ts'
import { drainCalendars } from '../src/scheduling/calendars/sync.ts'

let testApp: EffectsTestApp

beforeAll(async () => {
  testApp = await startEffectsTestApp()
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
beforeEach(() => testApp.startAnew())

const api = () => testApp.app.services

describe("the host's calendar", () => {
  it('has the event with the people and the answers, and never what opens the booking', async () => {
    const booking = await testApp.bookOne({ answers: { topic: 'Moving our mail' } })
    const [entry, ...rest] = testApp.eventsOf(testApp.host)
    expect(rest).toEqual([])
    expect(entry).toMatchObject({
      title: 'Introduction: Vera Visitor',
      start: testApp.at(10).getTime(),
      end: testApp.at(10.5).getTime(),
    })
    const text = JSON.stringify(entry)
    expect(text).toContain(`${booking.id}@acme.tenants.local`)
    expect(text).toContain('Moving our mail')
    expect(text).toContain('mailto:vera@example.org')
    expect(text).not.toContain('/manage/')
    expect(text).not.toContain(booking.token)
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_state: 'synced',
      calendar_error: null,
      calendar_version: 1,
      calendar_run: null,
    })
  })

  it('keeps one event over moves, and loses it with the booking', async () => {
    const booking = await testApp.bookOne()
    const [before] = testApp.eventsOf(testApp.host)
    await testApp.move(booking, testApp.at(12))
    expect(testApp.eventsOf(testApp.host)).toMatchObject([
      { id: before?.id, start: testApp.at(12).getTime() },
    ])
    await testApp.cancel(booking)
    expect(testApp.eventsOf(testApp.host)).toEqual([])
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_state: 'none',
      calendar_event_id: null,
      calendar_group: null,
    })
  })

  it('is in the calendars of all hosts who meet the visitor', async () => {
    const second = await testApp.newHost({ name: 'Adam Admin' })
    const booking = await testApp.bookOne({ with: [second] })
    expect([testApp.eventsOf(testApp.host).length, testApp.eventsOf(second).length]).toEqual([1, 1])
    expect(JSON.stringify(testApp.eventsOf(second))).toContain(`mailto:${testApp.host.address}`)
    await testApp.cancel(booking)
    expect([testApp.eventsOf(testApp.host).length, testApp.eventsOf(second).length]).toEqual([0, 0])
  })

  it('has one event for all who share a start, each with the visitors of that start', async () => {
    testApp.eventTypeId = await testApp.newEventType(testApp.host, { title: 'Workshop', seats: 5 })
    const first = await testApp.bookOne({ name: 'Vera', email: 'vera@example.org' })
    const second = await testApp.bookOne({ name: 'Ida', email: 'ida@example.org' })
    expect(testApp.eventsOf(testApp.host)).toMatchObject([{ title: 'Workshop (2 of 5)' }])
    expect((await testApp.stored(first)).calendar_event_id).toBe(
      (await testApp.stored(second)).calendar_event_id,
    )
    await testApp.move(first, testApp.at(12))
    const [old, moved] = testApp.eventsOf(testApp.host)
    expect([old?.title, moved?.title]).toEqual(['Workshop (1 of 5)', 'Workshop (1 of 5)'])
    expect([old?.start, moved?.start]).toEqual([testApp.at(10).getTime(), testApp.at(12).getTime()])
    expect(JSON.stringify(old)).not.toContain('vera@example.org')
    expect(JSON.stringify(moved)).not.toContain('ida@example.org')
    // Visitors do not learn of each other.
    expect(
      (await testApp.invitationIn((await testApp.mailsTo('ida@example.org'))[0]))?.attendees,
    ).not.toContain('mailto:vera@example.org')
    await testApp.move(second, testApp.at(12))
    expect(testApp.eventsOf(testApp.host)).toMatchObject([
      { title: 'Workshop (2 of 5)', start: testApp.at(12).getTime() },
    ])
    await testApp.cancel(first)
    expect(testApp.eventsOf(testApp.host)).toMatchObject([{ title: 'Workshop (1 of 5)' }])
    await testApp.cancel(second)
    expect(testApp.eventsOf(testApp.host)).toEqual([])
  })

  it('counts the visitors whom its event has no room for', async () => {
    testApp.eventTypeId = await testApp.newEventType(testApp.host, { title: 'Lecture', seats: 40 })
    for (let n = 0; n < 22; n++)
      await testApp.bookOne({ name: `Guest ${n}`, email: `guest${n}@example.org` })
    const [entry, ...rest] = testApp.eventsOf(testApp.host)
    expect(rest).toEqual([])
    expect(entry?.title).toBe('Lecture (22 of 40)')
    expect(entry?.event.description).toContain('And 2 more.')
    expect(Object.keys(Object(entry?.event.participants))).toHaveLength(19)
  }, 30_000)
})

const faults = [
  ['does not answer', { mode: 'timeout' }],
  ['fails', { mode: 'error', status: 503 }],
  ['breaks off', { mode: 'reset' }],
  ['breaks off after it did it', { mode: 'reset', after: true }],
  ['answers garbage', { mode: 'garbage' }],
  ['answers something else', { mode: 'shape' }],
] as const

describe.each(faults)('a calendar that %s', (_, fault) => {
  const breakCalendar = () =>
    testApp.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', ...fault })
  const mend = async () => {
    testApp.sandbox.clearFaults()
    testApp.later(1)
    await drainCalendars(api())
  }

  it('at the booking gets the event later, once', async () => {
    breakCalendar()
    const booking = await testApp.bookOne()
    const waiting = await testApp.stored(booking)
    expect(waiting).toMatchObject({
      calendar_state: 'pending',
      calendar_attempts: 1,
      calendar_lease_until: null,
    })
    expect(waiting.calendar_error).toMatch(/^The mail server /)
    expect(waiting.calendar_next_at).toEqual(new Date(testApp.time.now.getTime() + 15_000))
    await drainCalendars(api())
    expect(await testApp.stored(booking)).toMatchObject({ calendar_attempts: 1 })
    await mend()
    expect(testApp.eventsOf(testApp.host)).toMatchObject([{ start: testApp.at(10).getTime() }])
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_state: 'synced',
      calendar_error: null,
      calendar_attempts: 0,
    })
  })

  it('at a move and at the end of a booking comes to the same', async () => {
    const booking = await testApp.bookOne()
    breakCalendar()
    const moved = await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/reschedule`, {
      start: testApp.at(14).toISOString(),
    })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'pending' })
    await mend()
    expect(testApp.eventsOf(testApp.host)).toMatchObject([{ start: testApp.at(14).getTime() }])
    breakCalendar()
    // Told to remove what is gone by now, the second try of the call finds nothing to do.
    const calendarSync = 'after' in fault ? 'none' : 'pending'
    expect((await testApp.cancel(booking)).body).toMatchObject({
      status: 'cancelled',
      calendarSync,
    })
    await mend()
    expect(testApp.eventsOf(testApp.host)).toEqual([])
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'none' })
  })
})

describe('a calendar that lags', () => {
  it('follows the booking as it is when it is back, not as it was', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'reset',
      after: true,
      times: 2,
    })
    const booking = await testApp.bookOne()
    await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/reschedule`, {
      start: testApp.at(20).toISOString(),
    })
    expect(testApp.eventsOf(testApp.host)).toMatchObject([{ start: testApp.at(20).getTime() }])
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    await testApp.act(await testApp.admin(), 'POST', `/${booking.id}/reschedule`, {
      start: testApp.at(22).toISOString(),
    })
    await testApp.cancel(booking)
    testApp.sandbox.clearFaults()
    testApp.later(1)
    await drainCalendars(api())
    expect(testApp.eventsOf(testApp.host)).toEqual([])
  })

  it('is never asked about a booking that came and went before anything was written', async () => {
    const booking = await testApp.bookOne({ status: 'pending' })
    const calls = () => testApp.sandbox.state().mail.calls.length
    const before = calls()
    await testApp.cancel(booking)
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'none' })
    expect(calls()).toBe(before)
  })

  it('is given up after six tries, says why, and follows once the mailbox is connected again', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    const booking = await testApp.bookOne()
    for (let tries = 0; tries < 6; tries++) {
      expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'pending' })
      testApp.later(13 * 60)
      await drainCalendars(api())
    }
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_state: 'failed',
      calendar_next_at: null,
      calendar_error: expect.stringMatching(/503/),
    })
    testApp.sandbox.clearFaults()
    await testApp.database.db
      .transaction()
      .execute((trx) => retryCalendar(trx, api(), testApp.host.id))
    await drainCalendars(api())
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'synced' })
    expect(testApp.eventsOf(testApp.host)).toHaveLength(1)
  })

  it('waits for a person when the credential is rejected or gone', async () => {
    testApp.sandbox.fault({ system: 'mail', mode: 'error', status: 401 })
    const booking = await testApp.bookOne()
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_state: 'failed',
      calendar_error: expect.stringMatching(/credentials/),
    })
    const { db } = testApp.database
    const credential = await db
      .selectFrom('mail_credentials')
      .select(['ok', 'error'])
      .where('host_id', '=', testApp.host.id)
      .executeTakeFirstOrThrow()
    expect(credential.ok).toBe(false)
    testApp.sandbox.clearFaults()
    await db.deleteFrom('mail_credentials').where('host_id', '=', testApp.host.id).execute()
    const second = await testApp.bookOne({ start: testApp.at(12) })
    expect(await testApp.stored(second)).toMatchObject({
      calendar_state: 'failed',
      calendar_error: expect.stringMatching(/not connected/),
    })
  })

  it('is tried again when the mailbox is connected while an older try is about to fail', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
      times: 2,
    })
    const booking = await testApp.bookOne()
    testApp.later(1)
    const { db } = testApp.database
    const [older] = await claimCalendars(db, testApp.time.now, 10)
    if (!older) throw new Error('nothing was due')
    await db.transaction().execute((trx) => retryCalendar(trx, api(), testApp.host.id))
    expect(
      await saveCalendarOutcome(
        db,
        older,
        { error: 'The credential is refused.', nextAt: null },
        testApp.time.now,
      ),
    ).toBe(true)
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_state: 'pending',
      calendar_run: null,
    })
    await drainCalendars(api())
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'synced' })
  })

  it('has everybody of a shared start after bookings that came at once', async () => {
    testApp.eventTypeId = await testApp.newEventType(testApp.host, { title: 'Workshop', seats: 8 })
    const names = Array.from({ length: 8 }, (_, n) => `guest${n}@example.org`)
    await Promise.all(names.map((email) => testApp.bookOne({ email, name: email })))
    await drainCalendars(api())
    const [entry, ...rest] = testApp.eventsOf(testApp.host)
    expect(rest).toEqual([])
    expect(entry?.title).toBe('Workshop (8 of 8)')
    for (const email of names) expect(JSON.stringify(entry)).toContain(`mailto:${email}`)
  })

  it('does not delay the booking', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'latency',
      delayMs: 800,
    })
    const booking = await testApp.bookOne()
    await testApp.database.db
      .updateTable('booking_hosts')
      .set({ calendar_state: 'pending', calendar_next_at: testApp.time.now })
      .where('booking_id', '=', booking.id)
      .execute()
    await syncCalendar(api(), booking.id, { deadlineMs: 100 })
    // Not yet: nobody waited for it.
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'pending' })
    // What was under way goes on.
    await expect
      .poll(async () => (await testApp.stored(booking)).calendar_state, { timeout: 20_000 })
      .toBe('synced')
  })

  it('is taken over from a process that died, after its lease', async () => {
    testApp.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'reset', times: 2 })
    const booking = await testApp.bookOne()
    testApp.later(1)
    const { db } = testApp.database
    const [dead] = await claimCalendars(db, testApp.time.now, 10)
    expect(dead).toMatchObject({ bookingId: booking.id, attempts: 2 })
    await drainCalendars(api())
    expect(testApp.eventsOf(testApp.host)).toEqual([])
    await db
      .updateTable('booking_hosts')
      .set({ calendar_lease_until: new Date(Date.now() - 1_000) })
      .where('booking_id', '=', booking.id)
      .execute()
    await drainCalendars(api())
    expect(testApp.eventsOf(testApp.host)).toHaveLength(1)
    expect(await testApp.stored(booking)).toMatchObject({ calendar_state: 'synced' })
  })

  it('gets one event from several processes at once', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    const bookings = []
    for (let n = 0; n < 6; n++)
      bookings.push(
        await testApp.bookOne({ start: testApp.at(10 + n), email: `v${n}@example.org` }),
      )
    testApp.sandbox.clearFaults()
    testApp.later(1)
    await Promise.all([drainCalendars(api()), drainCalendars(api()), drainCalendars(api())])
    expect(testApp.eventsOf(testApp.host)).toHaveLength(6)
    for (const booking of bookings)
      expect(await testApp.stored(booking)).toMatchObject({
        calendar_state: 'synced',
        calendar_attempts: 0,
      })
  })

  it('is counted in the metrics', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    await testApp.bookOne()
    const text = await api().metrics.registry.metrics()
    expect(text).toMatch(/^booking_calendars_lagging\{state="waiting"\} 1$/m)
    expect(text).toMatch(/^booking_calendars_lagging\{state="failed"\} 0$/m)
    expect(text).toMatch(/^booking_calendar_writes_total\{outcome="failed"\} [1-9]/m)
  })
})

describe('an event that the host changes in a mail program', () => {
  const start = (at: Date) => ({ start: at.toISOString().slice(0, 19), timeZone: 'UTC' })

  it('is noted, and the booking stays as it is', async () => {
    const moved = await testApp.bookOne()
    const deleted = await testApp.bookOne({ start: testApp.at(12) })
    const [first, second] = testApp.eventsOf(testApp.host)
    testApp.sandbox.mail.calendars.change(
      testApp.host.address,
      String(first?.id),
      start(testApp.at(11)),
    )
    testApp.sandbox.mail.calendars.remove(testApp.host.address, String(second?.id))
    testApp.later(15)
    await checkCalendars(api())
    expect(await testApp.stored(moved)).toMatchObject({
      calendar_drift: 'moved',
      calendar_state: 'synced',
      calendar_checked_at: testApp.time.now,
    })
    expect(await testApp.stored(deleted)).toMatchObject({
      calendar_drift: 'deleted',
      calendar_state: 'synced',
    })
    expect(
      (await testApp.mailsTo('vera@example.org')).map(({ subject }) => subject.split(':')[0]),
    ).toEqual(['Confirmed', 'Confirmed'])
    testApp.sandbox.mail.calendars.change(
      testApp.host.address,
      String(first?.id),
      start(testApp.at(10)),
    )
    testApp.later(15)
    await checkCalendars(api())
    expect(await testApp.stored(moved)).toMatchObject({ calendar_drift: 'none' })
    await testApp.move(deleted, testApp.at(13))
    expect(await testApp.stored(deleted)).toMatchObject({
      calendar_drift: 'none',
      calendar_state: 'synced',
    })
    expect(testApp.eventsOf(testApp.host)).toMatchObject([
      { start: testApp.at(10).getTime() },
      { start: testApp.at(13).getTime() },
    ])
  })

  it('is left as it was found last while the calendar cannot be read', async () => {
    const booking = await testApp.bookOne()
    testApp.sandbox.mail.calendars.remove(
      testApp.host.address,
      String(testApp.eventsOf(testApp.host)[0]?.id),
    )
    testApp.sandbox.fault({ system: 'mail', match: 'CalendarEvent/get', mode: 'garbage' })
    testApp.later(15)
    await checkCalendars(api())
    expect(await testApp.stored(booking)).toMatchObject({
      calendar_drift: 'none',
      calendar_checked_at: null,
    })
    testApp.sandbox.clearFaults()
    await checkCalendars(api())
    expect(await testApp.stored(booking)).toMatchObject({ calendar_drift: 'deleted' })
  })

  it('is looked at for the coming week alone', async () => {
    const booking = await testApp.bookOne({ start: testApp.at(24 * 8) })
    await checkCalendars(api())
    expect(await testApp.stored(booking)).toMatchObject({ calendar_checked_at: null })
  })
})
