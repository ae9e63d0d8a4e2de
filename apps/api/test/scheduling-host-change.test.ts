import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { TestBooking, TestHost } from '@atrium/testing/bookings-test-app'
import { type EffectsTestApp, startEffectsTestApp } from '@atrium/testing/effects-test-app'
import { visit } from '@atrium/testing/visitors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bookingMails } from '../src/scheduling/bookings/mail-parts.ts'
import { drainCalendars } from '../src/scheduling/calendars/sync.ts'
import { hostsInBooking, newRobin, offeredForMove } from './robin-test-app.ts'

let testApp: EffectsTestApp
let anna: TestHost
let ben: TestHost
let robin: string
let booking: TestBooking

beforeAll(async () => {
  testApp = await startEffectsTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  await testApp.startAnew()
  anna = testApp.host
  ben = await testApp.newHost({ name: 'Ben Host', zone: 'Europe/Berlin' })
  robin = await newRobin(testApp, [anna, ben])
  booking = await testApp.book({
    host: anna,
    eventTypeId: robin,
    start: testApp.at(10),
    minutes: 60,
  })
})

const move = (hours: number, body: object = {}) =>
  testApp.visit('POST', '/reschedule', booking.token, {
    start: testApp.at(hours).toISOString(),
    ...body,
  })
const staffMove = async (hours: number, token?: string) =>
  testApp.act(token ?? (await testApp.admin()), 'POST', `/${booking.id}/reschedule`, {
    start: testApp.at(hours).toISOString(),
  })
const busy = (host: TestHost, hours: number) =>
  testApp.block(host, testApp.at(hours), testApp.at(hours + 1))
const setting = (rescheduleHost: 'same' | 'any') =>
  testApp.database.db
    .updateTable('event_types')
    .set({ reschedule_host: rescheduleHost })
    .where('id', '=', robin)
    .execute()
const staffSlots = async (from: number, to: number) => {
  const range = `from=${testApp.at(from).toISOString()}&to=${testApp.at(to).toISOString()}&timeZone=UTC`
  const { body } = await testApp.act(await testApp.admin(), 'GET', `/${booking.id}/slots?${range}`)
  const slots = Object.values(body.slots as Record<string, { start: string }[]>).flat()
  return slots.map(({ start }) => (Date.parse(start) - testApp.at(0).getTime()) / 3_600_000)
}
/** UIDs of the bookings' events in a host's calendar. */
const uidsIn = (host: TestHost) =>
  testApp
    .eventsOf(host)
    .flatMap(({ title, event }) => (title?.startsWith('Introduction') ? [event.uid] : []))

describe('a moved booking of a round robin', () => {
  it('keeps its host by default, and is offered only the times of that host', async () => {
    await setting('same')
    await busy(anna, 12)
    expect(await offeredForMove(testApp, booking, 11, 14)).toEqual([11, 13])
    expect(await staffSlots(11, 14)).toEqual([11, 13])
    expect(await move(12)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect((await testApp.visit('GET', '', booking.token)).body.eventType.hostMayChange).toBe(false)
  })

  it('is offered what any host has free where the host may change, the own time included', async () => {
    await busy(anna, 12)
    await busy(ben, 11)
    for (const host of [anna, ben]) await busy(host, 13)
    expect(await offeredForMove(testApp, booking, 10, 15)).toEqual([10, 11, 12, 14])
    expect(await staffSlots(10, 15)).toEqual([10, 11, 12, 14])
    expect((await testApp.visit('GET', '', booking.token)).body.eventType.hostMayChange).toBe(true)
  })

  it('stays with its host who is free, as the same event', async () => {
    const { booking: before } = await hostsInBooking(testApp, booking)
    expect(await move(14)).toMatchObject({
      status: 200,
      body: { host: { name: 'Anna Owner' }, sequence: 1 },
    })
    const after = await hostsInBooking(testApp, booking)
    expect(after.booking).toMatchObject({
      host_id: anna.id,
      uid: before.uid,
      organizer: before.organizer,
    })
    expect(after.former).toEqual([])
    expect(await testApp.mails(booking)).toEqual([
      'booking.confirmed',
      'booking.host_booked',
      'booking.moved',
      'booking.host_moved',
    ])
  })

  it('goes to a free host of the round robin, in views, calendars and lists', async () => {
    const { booking: before } = await hostsInBooking(testApp, booking)
    await busy(anna, 12)
    const { status, body } = await move(12)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { host: { name: 'Ben Host' }, sequence: 1, calendarSync: 'synced' },
    })
    const after = await hostsInBooking(testApp, booking)
    expect(after.present.map(({ host_id: id }) => id)).toEqual([ben.id])
    expect(after.booking).toMatchObject({
      id: before.id,
      host_id: ben.id,
      organizer: ben.address,
      manage_hash: before.manage_hash,
    })
    expect(after.booking.uid).not.toBe(before.uid)
    expect(uidsIn(anna)).toEqual([])
    expect(uidsIn(ben)).toEqual([after.booking.uid])
    expect(await testApp.event(booking, ben)).toEqual({
      start: testApp.at(12).getTime(),
      end: testApp.at(13).getTime(),
    })

    const asAdmin = (await testApp.act(await testApp.admin(), 'GET', `/${booking.id}`)).body
    expect(asAdmin).toMatchObject({
      hosts: [{ id: ben.id }],
      formerHosts: [],
      uid: after.booking.uid,
    })
    expect(asAdmin.history.at(-1)).toMatchObject({
      kind: 'rescheduled',
      fromHost: 'Anna Owner',
      toHost: 'Ben Host',
    })
    const listed = async (host: TestHost) =>
      (await testApp.act(await host.token(), 'GET', '')).body.items.map(
        ({ id }: { id: string }) => id,
      )
    expect([await listed(anna), await listed(ben)]).toEqual([[], [booking.id]])
    expect((await testApp.act(await anna.token(), 'GET', `/${booking.id}`)).status).toBe(403)
    expect((await testApp.act(await ben.token(), 'GET', `/${booking.id}`)).status).toBe(200)
    const [audit] = await testApp.database.db
      .selectFrom('audit_events')
      .select('metadata')
      .where('resource_id', '=', booking.id)
      .where('action', '=', 'booking.rescheduled')
      .execute()
    expect(audit?.metadata).toMatchObject({
      hostId: anna.id,
      toHostId: ben.id,
      to: testApp.at(12).toISOString(),
    })
  })

  it('tells visitor, new and former host, and replaces the event of the former one', async () => {
    const { booking: before } = await hostsInBooking(testApp, booking)
    await busy(anna, 12)
    expect((await move(12, { reason: 'A train.' })).status).toBe(200)
    const { booking: after } = await hostsInBooking(testApp, booking)
    const [confirmed, moved, replaced] = await testApp.mailsTo('vera@example.org')
    expect(await testApp.invitationIn(confirmed)).toMatchObject({
      uid: before.uid,
      organizer: `mailto:${anna.address}`,
    })
    const invitation = await testApp.invitationIn(moved)
    expect(invitation).toMatchObject({
      method: 'REQUEST',
      uid: after.uid,
      sequence: 1,
      organizer: `mailto:${ben.address}`,
    })
    expect(invitation?.attendees).not.toContain(`mailto:${anna.address}`)
    const cancelled = await testApp.invitationIn(replaced)
    expect(cancelled).toMatchObject({
      method: 'CANCEL',
      uid: before.uid,
      sequence: 1,
      status: 'CANCELLED',
    })
    expect(cancelled).toMatchObject({ organizer: `mailto:${anna.address}` })
    expect(cancelled?.attendees).toContain('mailto:vera@example.org')
    expect(cancelled?.attendees).not.toContain(`mailto:${ben.address}`)
    expect(moved?.text).toContain('Ben Host')
    expect(replaced?.text).toContain('Anna Owner')
    const [, toAnna] = await testApp.mailsTo(anna.address)
    expect(toAnna?.subject).toContain('Now with Ben Host')
    expect(toAnna?.text).toContain('A train.')
    expect(toAnna?.text).not.toContain('https://portal.test')
    expect(
      (await testApp.mailsTo(ben.address)).map(({ subject }) => subject.split(':')[0]),
    ).toEqual(['Booked'])
  })

  it('cancels the event of the former host although a later mail follows', async () => {
    await busy(anna, 12)
    await move(12)
    const pointless = async (template: 'booking.moved' | 'booking.replaced') => {
      const { db } = testApp.database
      const row = await db
        .selectFrom('outbox')
        .selectAll()
        .where('template', '=', template)
        .orderBy('id')
        .executeTakeFirstOrThrow()
      const { id, recipient, values } = row
      const mail = {
        id,
        template,
        recipient,
        values,
        bookingId: booking.id,
        attempts: 2,
      } as ClaimedMail
      return bookingMails.whyPointless(testApp.app.services, mail)
    }
    expect(await pointless('booking.moved')).toBeUndefined()
    await move(14)
    expect(await pointless('booking.moved')).toBeDefined()
    expect(await pointless('booking.replaced')).toBeUndefined()
  })

  it('tells guests the same', async () => {
    await testApp.database.db
      .updateTable('bookings')
      .set({ guests: ['gus@example.org'], visitor_confirmed_at: testApp.at(0) })
      .where('id', '=', booking.id)
      .execute()
    await busy(anna, 12)
    await move(12)
    const files = await Promise.all(
      (await testApp.mailsTo('gus@example.org')).map((mail) => testApp.invitationIn(mail)),
    )
    expect(files.map((file) => file?.method)).toEqual(['REQUEST', 'CANCEL'])
  })

  it('that waits for an answer waits for the one of the new host, and nobody gets a calendar file', async () => {
    booking = await testApp.book({
      host: anna,
      eventTypeId: robin,
      start: testApp.at(30),
      minutes: 60,
      status: 'pending',
    })
    await busy(anna, 32)
    expect(await move(32)).toMatchObject({
      status: 200,
      body: { status: 'pending', host: { name: 'Ben Host' }, sequence: 0 },
    })
    expect(await testApp.mails(booking)).toEqual([
      ...['booking.requested', 'booking.host_requested'],
      ...['booking.requested', 'booking.host_requested', 'booking.host_reassigned'],
    ])
    const confirm = async (host: TestHost) =>
      (await testApp.act(await host.token(), 'POST', `/${booking.id}/confirm`)).status
    expect([await confirm(anna), await confirm(ben)]).toEqual([403, 200])
    expect(uidsIn(ben)).toHaveLength(1)
  })

  it('comes back with a UID of its own, and leaves nothing in the other calendar', async () => {
    const uids = [(await hostsInBooking(testApp, booking)).booking.uid]
    await busy(anna, 12)
    await busy(ben, 14)
    for (const hours of [12, 14]) {
      expect((await move(hours)).status).toBe(200)
      uids.push((await hostsInBooking(testApp, booking)).booking.uid)
    }
    expect(new Set(uids).size).toBe(3)
    const { booking: after, present, former } = await hostsInBooking(testApp, booking)
    expect(after).toMatchObject({ host_id: anna.id, sequence: 2 })
    expect([present, former].map((rows) => rows.map(({ host_id: id }) => id))).toEqual([
      [anna.id],
      [ben.id],
    ])
    expect(uidsIn(ben)).toEqual([])
    expect(uidsIn(anna)).toEqual([after.uid])
    expect((await testApp.visit('POST', '/cancel', booking.token, {})).status).toBe(200)
    expect(uidsIn(anna)).toEqual([])
    const file = await testApp.invitationIn((await testApp.mailsTo('vera@example.org')).at(-1))
    expect(file).toMatchObject({
      method: 'CANCEL',
      uid: after.uid,
      sequence: 3,
      organizer: `mailto:${anna.address}`,
    })
  })

  it('is moved by staff the same way; the previous host is notified, the mover is not', async () => {
    await busy(anna, 12)
    expect(await staffMove(12, await anna.token())).toMatchObject({
      status: 200,
      body: { hosts: [{ id: ben.id }] },
    })
    expect((await staffMove(16, await anna.token())).status).toBe(403)
    expect((await testApp.mails(booking)).slice(2)).toEqual([
      'booking.moved',
      'booking.replaced',
      'booking.host_booked',
    ])
    await busy(ben, 18)
    expect(await staffMove(18)).toMatchObject({ status: 200, body: { hosts: [{ id: anna.id }] } })
    expect((await testApp.mailsTo(ben.address)).at(-1)?.subject).toContain('Now with Anna Owner')
  })

  it('counts for the turn of the new host', async () => {
    const cara = await testApp.newHost({ name: 'Cara Host' })
    const keyedLimiter = await newRobin(testApp, [anna, ben, cara])
    booking = await testApp.book({
      host: anna,
      eventTypeId: keyedLimiter,
      start: testApp.at(20),
      minutes: 60,
    })
    await testApp.book({
      host: ben,
      eventTypeId: keyedLimiter,
      start: testApp.at(26),
      minutes: 60,
      email: 'tom@example.org',
    })
    await busy(anna, 22)
    expect((await move(22)).body.host.name).toBe('Cara Host')
    const next = await testApp.book({
      host: anna,
      eventTypeId: keyedLimiter,
      start: testApp.at(28),
      minutes: 60,
      email: 'lena@example.org',
    })
    booking = next
    await busy(anna, 30)
    // One booking each, but Ben has waited longer: Cara got hers by the move.
    expect((await move(30)).body.host.name).toBe('Ben Host')
  })

  it('does not go to a host with whom the visitor has as many bookings as allowed', async () => {
    const limited = await newRobin(testApp, [anna, ben], { bookings_per_visitor: 1 })
    booking = await testApp.book({
      host: anna,
      eventTypeId: limited,
      start: testApp.at(20),
      minutes: 60,
    })
    await testApp.book({ host: ben, eventTypeId: limited, start: testApp.at(24), minutes: 60 })
    await busy(anna, 22)
    expect(await offeredForMove(testApp, booking, 21, 24)).toEqual([21, 23])
    expect(await move(22)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect(await staffMove(22)).toMatchObject({ status: 200, body: { hosts: [{ id: ben.id }] } })
  })
})

describe('a host who has left the tenant', () => {
  it('is followed by another one, and gets no mail', async () => {
    await testApp.database.db.deleteFrom('memberships').where('user_id', '=', ben.userId).execute()
    booking = await testApp.book({
      host: ben,
      eventTypeId: robin,
      start: testApp.at(20),
      minutes: 60,
    })
    expect((await testApp.visit('GET', '', booking.token)).body.allowedActions).toContain(
      'reschedule',
    )
    expect(await offeredForMove(testApp, booking, 19, 22)).toEqual([19, 20, 21])
    expect(await move(22)).toMatchObject({ status: 200, body: { host: { name: 'Anna Owner' } } })
    expect(await testApp.mails(booking)).not.toContain('booking.host_reassigned')
    await setting('same')
    expect((await testApp.visit('GET', '', booking.token)).body.allowedActions).toContain(
      'reschedule',
    )
  })

  it('cannot be followed where the host stays', async () => {
    await setting('same')
    await testApp.database.db.deleteFrom('memberships').where('user_id', '=', ben.userId).execute()
    booking = await testApp.book({
      host: ben,
      eventTypeId: robin,
      start: testApp.at(20),
      minutes: 60,
    })
    expect((await testApp.visit('GET', '', booking.token)).body.allowedActions).not.toContain(
      'reschedule',
    )
    expect(await move(22)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  })
})

describe('calendars that fail', () => {
  it('keep the booking where it is while no host of it can be read', async () => {
    const before = await hostsInBooking(testApp, booking)
    testApp.sandbox.fault({ system: 'mail', mode: 'error', status: 503 })
    expect(await move(12)).toMatchObject({ status: 503, body: { code: 'calendar_unavailable' } })
    expect(await hostsInBooking(testApp, booking)).toEqual(before)
  })

  it('do not give the booking to a host whose calendar cannot be read', async () => {
    await busy(anna, 12)
    await testApp.database.db.deleteFrom('mail_credentials').where('host_id', '=', ben.id).execute()
    expect(await move(12)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect((await move(14)).body.host.name).toBe('Anna Owner')
  })

  it('that cannot be written get both changes later, and the former host is shown until then', async () => {
    await busy(anna, 12)
    await busy(ben, 10)
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    expect(await move(12)).toMatchObject({
      status: 200,
      body: { host: { name: 'Ben Host' }, calendarSync: 'pending' },
    })
    const shown = async () =>
      (await testApp.act(await testApp.admin(), 'GET', `/${booking.id}`)).body
    expect(await shown()).toMatchObject({
      calendarSync: 'pending',
      hosts: [{ id: ben.id, calendar: { state: 'pending' } }],
      formerHosts: [{ id: anna.id, calendar: { state: 'pending', error: expect.any(String) } }],
    })
    // The old time is free although its event is still in the calendar.
    const other = await testApp.book({
      host: ben,
      eventTypeId: robin,
      start: testApp.at(16),
      minutes: 60,
      email: 'tom@example.org',
    })
    expect(await offeredForMove(testApp, other, 10, 11)).toEqual([10])
    testApp.sandbox.clearFaults()
    testApp.later(60)
    await drainCalendars(testApp.app.services)
    expect([uidsIn(anna), uidsIn(ben)].map((events) => events.length)).toEqual([0, 2])
    expect(await shown()).toMatchObject({ calendarSync: 'synced', formerHosts: [] })
  })
})

describe('a time that is held for the move', () => {
  const lock = (hours: number, fields: object = {}, token: string | null = booking.token) =>
    visit(testApp, 'POST', '/slot-locks', {
      token: token ?? undefined,
      body: { eventTypeId: robin, start: testApp.at(hours).toISOString(), ...fields },
    })

  it('is held with the host who would get the booking', async () => {
    await busy(anna, 12)
    const held = await lock(12, { rescheduleOf: booking.id })
    expect(held.status).toBe(201)
    const hosts = await testApp.database.db
      .selectFrom('slot_locks')
      .select('host_id')
      .where('lock_id', '=', held.body.id)
      .execute()
    expect(hosts).toEqual([{ host_id: ben.id }])
    expect(await lock(12, {}, null)).toMatchObject({ status: 409, body: { code: 'slot_locked' } })
    expect((await move(12)).body.code).toBe('slot_locked')
    expect((await move(12, { lockToken: held.body.lockToken })).body.host.name).toBe('Ben Host')
  })

  it('is held with the present host where free, also over the own time, and by nobody else', async () => {
    const held = await lock(10, { rescheduleOf: booking.id })
    expect(held.status).toBe(201)
    const hosts = await testApp.database.db
      .selectFrom('slot_locks')
      .select('host_id')
      .where('lock_id', '=', held.body.id)
      .execute()
    expect(hosts).toEqual([{ host_id: anna.id }])
    expect((await lock(14, { rescheduleOf: booking.id }, null)).status).toBe(404)
  })
})
