import { claimCalendars, saveCalendarOutcome } from '@atrium/db/booking-calendars'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkCalendars } from '../src/scheduling/calendar-drift.ts'
import { drainCalendars } from '../src/scheduling/calendar-sync.ts'
import { retryCalendar, settleCalendar } from '../src/scheduling/effects.ts'
import { type EffectsHouse, openEffectsHouse } from './effects-house.ts'

let house: EffectsHouse

beforeAll(async () => {
  house = await openEffectsHouse()
}, 60_000)
afterAll(async () => {
  await house[Symbol.asyncDispose]()
})
beforeEach(() => house.startAnew())

const api = () => house.app.house

describe("the host's calendar", () => {
  it('has the event with the people and the answers, and never what opens the booking', async () => {
    const booking = await house.bookOne({ answers: { topic: 'Moving our mail' } })
    const [entry, ...rest] = house.eventsOf(house.host)
    expect(rest).toEqual([])
    expect(entry).toMatchObject({ title: 'Introduction: Vera Visitor', start: house.at(10).getTime(), end: house.at(10.5).getTime() })
    const text = JSON.stringify(entry)
    expect(text).toContain(`${booking.id}@acme.tenants.local`)
    expect(text).toContain('Moving our mail')
    expect(text).toContain('mailto:vera@example.org')
    expect(text).not.toContain('/manage/')
    expect(text).not.toContain(booking.token)
    expect(await house.stored(booking)).toMatchObject({
      calendar_state: 'synced',
      calendar_error: null,
      calendar_version: 1,
      calendar_run: null,
    })
  })

  it('keeps one event over moves, and loses it with the booking', async () => {
    const booking = await house.bookOne()
    const [before] = house.eventsOf(house.host)
    await house.move(booking, house.at(12))
    expect(house.eventsOf(house.host)).toMatchObject([{ id: before?.id, start: house.at(12).getTime() }])
    await house.cancel(booking)
    expect(house.eventsOf(house.host)).toEqual([])
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'none', calendar_event_id: null, calendar_group: null })
  })

  it('stands in the calendars of all hosts who meet the visitor', async () => {
    const second = await house.newHost({ name: 'Adam Admin' })
    const booking = await house.bookOne({ with: [second] })
    expect([house.eventsOf(house.host).length, house.eventsOf(second).length]).toEqual([1, 1])
    expect(JSON.stringify(house.eventsOf(second))).toContain(`mailto:${house.host.address}`)
    await house.cancel(booking)
    expect([house.eventsOf(house.host).length, house.eventsOf(second).length]).toEqual([0, 0])
  })

  it('has one event for all who share a start, each with the visitors of that start', async () => {
    house.eventTypeId = await house.newEventType(house.host, { title: 'Workshop', seats: 5 })
    const first = await house.bookOne({ name: 'Vera', email: 'vera@example.org' })
    const second = await house.bookOne({ name: 'Ida', email: 'ida@example.org' })
    expect(house.eventsOf(house.host)).toMatchObject([{ title: 'Workshop (2 of 5)' }])
    expect((await house.stored(first)).calendar_event_id).toBe((await house.stored(second)).calendar_event_id)
    await house.move(first, house.at(12))
    const [old, moved] = house.eventsOf(house.host)
    expect([old?.title, moved?.title]).toEqual(['Workshop (1 of 5)', 'Workshop (1 of 5)'])
    expect([old?.start, moved?.start]).toEqual([house.at(10).getTime(), house.at(12).getTime()])
    expect(JSON.stringify(old)).not.toContain('vera@example.org')
    expect(JSON.stringify(moved)).not.toContain('ida@example.org')
    // Visitors do not learn of each other.
    expect((await house.invitationIn((await house.mailsTo('ida@example.org'))[0]))?.attendees).not.toContain('mailto:vera@example.org')
    await house.move(second, house.at(12))
    expect(house.eventsOf(house.host)).toMatchObject([{ title: 'Workshop (2 of 5)', start: house.at(12).getTime() }])
    await house.cancel(first)
    expect(house.eventsOf(house.host)).toMatchObject([{ title: 'Workshop (1 of 5)' }])
    await house.cancel(second)
    expect(house.eventsOf(house.host)).toEqual([])
  })

  it('counts the visitors whom its event has no room for', async () => {
    house.eventTypeId = await house.newEventType(house.host, { title: 'Lecture', seats: 40 })
    for (let n = 0; n < 22; n++) await house.bookOne({ name: `Guest ${n}`, email: `guest${n}@example.org` })
    const [entry, ...rest] = house.eventsOf(house.host)
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
  const breakCalendar = () => house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', ...fault })
  const mend = async () => {
    house.sandbox.clearFaults()
    house.later(1)
    await drainCalendars(api())
  }

  it('at the booking gets the event later, once', async () => {
    breakCalendar()
    const booking = await house.bookOne()
    const waiting = await house.stored(booking)
    expect(waiting).toMatchObject({ calendar_state: 'pending', calendar_attempts: 1, calendar_lease_until: null })
    expect(waiting.calendar_error).toMatch(/^The mail server /)
    expect(waiting.calendar_next_at).toEqual(new Date(house.time.now.getTime() + 15_000))
    await drainCalendars(api())
    expect(await house.stored(booking)).toMatchObject({ calendar_attempts: 1 })
    await mend()
    expect(house.eventsOf(house.host)).toMatchObject([{ start: house.at(10).getTime() }])
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'synced', calendar_error: null, calendar_attempts: 0 })
  })

  it('at a move and at the end of a booking comes to the same', async () => {
    const booking = await house.bookOne()
    breakCalendar()
    const moved = await house.act(await house.admin(), 'POST', `/${booking.id}/reschedule`, { start: house.at(14).toISOString() })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'pending' })
    await mend()
    expect(house.eventsOf(house.host)).toMatchObject([{ start: house.at(14).getTime() }])
    breakCalendar()
    // Told to remove what is gone by now, the second try of the call finds nothing to do.
    const calendarSync = 'after' in fault ? 'none' : 'pending'
    expect((await house.cancel(booking)).body).toMatchObject({ status: 'cancelled', calendarSync })
    await mend()
    expect(house.eventsOf(house.host)).toEqual([])
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'none' })
  })
})

describe('a calendar that lags', () => {
  it('follows the booking as it is when it is back, not as it was', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'reset', after: true, times: 2 })
    const booking = await house.bookOne()
    await house.act(await house.admin(), 'POST', `/${booking.id}/reschedule`, { start: house.at(20).toISOString() })
    expect(house.eventsOf(house.host)).toMatchObject([{ start: house.at(20).getTime() }])
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'error', status: 503 })
    await house.act(await house.admin(), 'POST', `/${booking.id}/reschedule`, { start: house.at(22).toISOString() })
    await house.cancel(booking)
    house.sandbox.clearFaults()
    house.later(1)
    await drainCalendars(api())
    expect(house.eventsOf(house.host)).toEqual([])
  })

  it('is never asked about a booking that came and went before anything was written', async () => {
    const booking = await house.bookOne({ status: 'pending' })
    const calls = () => house.sandbox.state().mail.calls.length
    const before = calls()
    await house.cancel(booking)
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'none' })
    expect(calls()).toBe(before)
  })

  it('is given up after six tries, says why, and follows once the mailbox is connected again', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'error', status: 503 })
    const booking = await house.bookOne()
    for (let tries = 0; tries < 6; tries++) {
      expect(await house.stored(booking)).toMatchObject({ calendar_state: 'pending' })
      house.later(13 * 60)
      await drainCalendars(api())
    }
    expect(await house.stored(booking)).toMatchObject({
      calendar_state: 'failed',
      calendar_next_at: null,
      calendar_error: expect.stringMatching(/503/),
    })
    house.sandbox.clearFaults()
    await house.database.db.transaction().execute((trx) => retryCalendar(trx, api(), house.host.id))
    await drainCalendars(api())
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'synced' })
    expect(house.eventsOf(house.host)).toHaveLength(1)
  })

  it('waits for a person when the credential is refused or gone', async () => {
    house.sandbox.fault({ system: 'mail', mode: 'error', status: 401 })
    const booking = await house.bookOne()
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'failed', calendar_error: expect.stringMatching(/credentials/) })
    const { db } = house.database
    const credential = await db
      .selectFrom('mail_credentials')
      .select(['ok', 'error'])
      .where('host_id', '=', house.host.id)
      .executeTakeFirstOrThrow()
    expect(credential.ok).toBe(false)
    house.sandbox.clearFaults()
    await db.deleteFrom('mail_credentials').where('host_id', '=', house.host.id).execute()
    const second = await house.bookOne({ start: house.at(12) })
    expect(await house.stored(second)).toMatchObject({ calendar_state: 'failed', calendar_error: expect.stringMatching(/not connected/) })
  })

  it('is tried again when the mailbox is connected while an older try is about to fail', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'error', status: 503, times: 2 })
    const booking = await house.bookOne()
    house.later(1)
    const { db } = house.database
    const [older] = await claimCalendars(db, house.time.now, 10)
    if (!older) throw new Error('nothing was due')
    await db.transaction().execute((trx) => retryCalendar(trx, api(), house.host.id))
    expect(await saveCalendarOutcome(db, older, { error: 'The credential is refused.', nextAt: null }, house.time.now)).toBe(true)
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'pending', calendar_run: null })
    await drainCalendars(api())
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'synced' })
  })

  it('has everybody of a shared start after bookings that came at once', async () => {
    house.eventTypeId = await house.newEventType(house.host, { title: 'Workshop', seats: 8 })
    const names = Array.from({ length: 8 }, (_, n) => `guest${n}@example.org`)
    await Promise.all(names.map((email) => house.bookOne({ email, name: email })))
    await drainCalendars(api())
    const [entry, ...rest] = house.eventsOf(house.host)
    expect(rest).toEqual([])
    expect(entry?.title).toBe('Workshop (8 of 8)')
    for (const email of names) expect(JSON.stringify(entry)).toContain(`mailto:${email}`)
  })

  it('does not keep whoever books waiting', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'latency', delayMs: 800 })
    const booking = await house.bookOne()
    await house.database.db
      .updateTable('booking_hosts')
      .set({ calendar_state: 'pending', calendar_next_at: house.time.now })
      .where('booking_id', '=', booking.id)
      .execute()
    await settleCalendar(api(), booking.id, { deadlineMs: 100 })
    // Not yet: nobody waited for it.
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'pending' })
    // What was under way goes on.
    await expect.poll(async () => (await house.stored(booking)).calendar_state, { timeout: 20_000 }).toBe('synced')
  })

  it('is taken over from a process that died, after its lease', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'reset', times: 2 })
    const booking = await house.bookOne()
    house.later(1)
    const { db } = house.database
    const [dead] = await claimCalendars(db, house.time.now, 10)
    expect(dead).toMatchObject({ bookingId: booking.id, attempts: 2 })
    await drainCalendars(api())
    expect(house.eventsOf(house.host)).toEqual([])
    await db
      .updateTable('booking_hosts')
      .set({ calendar_lease_until: new Date(Date.now() - 1_000) })
      .where('booking_id', '=', booking.id)
      .execute()
    await drainCalendars(api())
    expect(house.eventsOf(house.host)).toHaveLength(1)
    expect(await house.stored(booking)).toMatchObject({ calendar_state: 'synced' })
  })

  it('gets one event from several processes at once', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'error', status: 503 })
    const bookings = []
    for (let n = 0; n < 6; n++) bookings.push(await house.bookOne({ start: house.at(10 + n), email: `v${n}@example.org` }))
    house.sandbox.clearFaults()
    house.later(1)
    await Promise.all([drainCalendars(api()), drainCalendars(api()), drainCalendars(api())])
    expect(house.eventsOf(house.host)).toHaveLength(6)
    for (const booking of bookings) expect(await house.stored(booking)).toMatchObject({ calendar_state: 'synced', calendar_attempts: 0 })
  })

  it('is counted in the metrics', async () => {
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/set', mode: 'error', status: 503 })
    await house.bookOne()
    const text = await api().metrics.registry.metrics()
    expect(text).toMatch(/^booking_calendars_lagging\{state="waiting"\} 1$/m)
    expect(text).toMatch(/^booking_calendars_lagging\{state="failed"\} 0$/m)
    expect(text).toMatch(/^booking_calendar_writes_total\{outcome="failed"\} [1-9]/m)
  })
})

describe('an event that the host changes in a mail program', () => {
  const start = (at: Date) => ({ start: at.toISOString().slice(0, 19), timeZone: 'UTC' })

  it('is noted, and the booking stays as it is', async () => {
    const moved = await house.bookOne()
    const deleted = await house.bookOne({ start: house.at(12) })
    const [first, second] = house.eventsOf(house.host)
    house.sandbox.mail.calendars.change(house.host.address, String(first?.id), start(house.at(11)))
    house.sandbox.mail.calendars.remove(house.host.address, String(second?.id))
    house.later(15)
    await checkCalendars(api())
    expect(await house.stored(moved)).toMatchObject({
      calendar_drift: 'moved',
      calendar_state: 'synced',
      calendar_checked_at: house.time.now,
    })
    expect(await house.stored(deleted)).toMatchObject({ calendar_drift: 'deleted', calendar_state: 'synced' })
    expect((await house.mailsTo('vera@example.org')).map(({ subject }) => subject.split(':')[0])).toEqual(['Confirmed', 'Confirmed'])
    house.sandbox.mail.calendars.change(house.host.address, String(first?.id), start(house.at(10)))
    house.later(15)
    await checkCalendars(api())
    expect(await house.stored(moved)).toMatchObject({ calendar_drift: 'none' })
    await house.move(deleted, house.at(13))
    expect(await house.stored(deleted)).toMatchObject({ calendar_drift: 'none', calendar_state: 'synced' })
    expect(house.eventsOf(house.host)).toMatchObject([{ start: house.at(10).getTime() }, { start: house.at(13).getTime() }])
  })

  it('is left as it was found last while the calendar cannot be read', async () => {
    const booking = await house.bookOne()
    house.sandbox.mail.calendars.remove(house.host.address, String(house.eventsOf(house.host)[0]?.id))
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/get', mode: 'garbage' })
    house.later(15)
    await checkCalendars(api())
    expect(await house.stored(booking)).toMatchObject({ calendar_drift: 'none', calendar_checked_at: null })
    house.sandbox.clearFaults()
    await checkCalendars(api())
    expect(await house.stored(booking)).toMatchObject({ calendar_drift: 'deleted' })
  })

  it('is looked at for the coming week alone', async () => {
    const booking = await house.bookOne({ start: house.at(24 * 8) })
    await checkCalendars(api())
    expect(await house.stored(booking)).toMatchObject({ calendar_checked_at: null })
  })
})
