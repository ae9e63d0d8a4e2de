import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
  tenant,
} from '@atrium/testing/bookings-test-app'
import { setTenantStatus } from '@atrium/testing/mailboxes'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { newAddress, offered, visit, wish } from '@atrium/testing/visitors'
import superjson from 'superjson'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireBookings } from '../src/scheduling/bookings/expire.ts'

let testApp: BookingsTestApp
let host: TestHost
let eventType: string
let day = 0

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(5_000) })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  day += 48
  testApp.time.now = testApp.at(day)
  host = await testApp.newHost({ name: 'Hanna Host' })
  eventType = await testApp.newEventType(host)
})
afterEach(() => testApp.sandbox.clearFaults())

const at = (hours: number) => testApp.at(day + hours)
const iso = (hours: number) => at(hours).toISOString()
const book = (
  hours: number,
  fields: Record<string, unknown> = {},
  options: Parameters<typeof visit>[3] = {},
  id = eventType,
) => visit(testApp, 'POST', '/bookings', { body: wish(id, at(hours), fields), ...options })
const code = ({ status, body }: { status: number; body: { code?: string } }) =>
  `${status} ${body?.code ?? ''}`.trim()
const rowOf = (id: string) =>
  testApp.database.db
    .selectFrom('bookings')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const bookings = (id = eventType) =>
  testApp.database.db.selectFrom('bookings').selectAll().where('event_type_id', '=', id).execute()
async function team(assignment: 'round_robin' | 'collective', others: TestHost[]) {
  const id = await testApp.newEventType(host, { assignment })
  await testApp.database.db
    .insertInto('event_type_hosts')
    .values([host, ...others].map((one) => ({ event_type_id: id, host_id: one.id })))
    .execute()
  return id
}

describe('a booking', () => {
  it('is kept with all that was given, written into the calendar, and opened by its link', async () => {
    const { status, body, headers } = await book(5, {
      duration: 60,
      guests: ['guest@example.org'],
      note: 'Hello\r\nthere',
      attendee: {
        name: ' Vera  Visitor ',
        email: 'VERA@example.org',
        timeZone: 'America/New_York',
        locale: 'fr-CA',
      },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.manageToken).toMatch(/^[\w-]{43}$/)
    expect(body.booking).toMatchObject({
      status: 'confirmed',
      title: 'Introduction',
      start: iso(5),
      end: iso(6),
      note: 'Hello\nthere',
      guests: ['guest@example.org'],
      attendee: { email: 'vera@example.org', timeZone: 'America/New_York', locale: 'fr-CA' },
      host: { name: 'Hanna Host', timeZone: 'UTC' },
      sequence: 0,
      calendarSync: 'synced',
      location: { kind: 'video', text: 'https://meet.test/1' },
    })
    const { booking, manageToken: token } = body
    expect(await testApp.event({ id: booking.id, token, host, eventTypeId: eventType })).toEqual({
      start: at(5).getTime(),
      end: at(6).getTime(),
    })
    expect((await testApp.visit('GET', '', token)).body.booking).toEqual(booking)
    const row = await rowOf(booking.id)
    expect(row).toMatchObject({
      organizer: host.address,
      host_wall: iso(5).slice(0, 16),
      host_zone: 'UTC',
      source: 'public',
      uid: `${booking.id}@tenants.local`,
    })
    expect(await testApp.history({ id: booking.id, token, host, eventTypeId: eventType })).toEqual([
      'confirmed',
    ])
    expect(await testApp.mails({ id: booking.id, token, host, eventTypeId: eventType })).toContain(
      'booking.confirmed',
    )
  })

  it('leaves nothing of the visitor in audit and log', async () => {
    const { body } = await book(5, {
      attendee: { name: 'Quentin Quiet', email: 'quentin@example.org', timeZone: 'UTC' },
      note: 'Whisper',
    })
    const rows = await testApp.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('resource_id', '=', body.booking.id)
      .execute()
    expect(rows).toMatchObject([
      {
        action: 'booking.confirmed',
        actor_type: 'visitor',
        actor_id: null,
        actor_email: null,
        source: 'booking',
        tenant_slug: tenant,
      },
    ])
    for (const text of ['Quentin', 'quentin@', 'Whisper', body.manageToken]) {
      expect(JSON.stringify(rows)).not.toContain(text)
      expect(testApp.logLines.join('')).not.toContain(text)
    }
  })

  it('asks the host first where that is wanted, and takes the time meanwhile', async () => {
    const asking = await testApp.newEventType(host, {
      requires_confirmation: true,
      approval_hours: 4,
    })
    const soon = await book(3, {}, {}, asking)
    const later = await book(20, {}, {}, asking)
    expect(soon.body.booking).toMatchObject({
      status: 'pending',
      approvalExpiresAt: iso(3),
      calendarSync: 'none',
    })
    expect(later.body.booking).toMatchObject({ status: 'pending', approvalExpiresAt: iso(4) })
    expect(code(await book(3))).toBe('409 slot_taken')
    const actions = await testApp.database.db
      .selectFrom('audit_events')
      .select('action')
      .where('resource_id', '=', soon.body.booking.id)
      .execute()
    expect(actions).toEqual([{ action: 'booking.requested' }])
  })

  it('calls the visitor at the number that the form asked for', async () => {
    const calls = await testApp.newEventType(host, {
      location_kind: 'visitor_phone',
      location: null,
      fields: JSON.stringify([{ key: 'mobile', label: 'Phone', kind: 'phone', required: true }]),
    })
    expect((await book(5, {}, {}, calls)).body.issues).toMatchObject([{ path: 'answers.mobile' }])
    const { body } = await book(5, { answers: { mobile: '+49 30 123456' } }, {}, calls)
    expect(body.booking).toMatchObject({
      location: { kind: 'visitor_phone', text: '+49 30 123456' },
    })
  })

  it.each([
    [
      'a header in the name',
      { attendee: { name: 'Eve\r\nBcc: all@example.org' } },
      'attendee.name',
    ],
    ['no name', { attendee: { name: '   ' } }, 'attendee.name'],
    ['a name that runs backwards', { attendee: { name: 'Eve\u202e' } }, 'attendee.name'],
    [
      'a header in the address',
      { attendee: { email: 'eve@example.org\r\nBcc: all@example.org' } },
      'attendee.email',
    ],
    [
      'two addresses',
      { attendee: { email: 'eve@example.org, all@example.org' } },
      'attendee.email',
    ],
    ['an unknown zone', { attendee: { timeZone: 'Mars/Olympus' } }, 'attendee.timeZone'],
    ['no language', { attendee: { locale: '../../etc' } }, 'attendee.locale'],
    ['a huge note', { note: 'x'.repeat(2_001) }, 'note'],
    [
      'eleven guests',
      { guests: Array.from({ length: 11 }, (_, n) => `guest${n}@example.org`) },
      'guests',
    ],
    ['a guest named twice', { guests: ['one@example.org', 'ONE@example.org'] }, 'guests.1'],
    ['a guest that is no address', { guests: ['<script>'] }, 'guests.0'],
    ['an answer to nothing', { answers: { colour: 'red' } }, 'answers.colour'],
    ['a start without an offset', { start: '2027-06-01T10:00:00' }, 'start'],
    ['seconds', { start: '2027-06-01T10:00:30Z' }, 'start'],
    ['an event type that is no id', { eventTypeId: 'intro' }, 'eventTypeId'],
    ['the status', { status: 'confirmed' }, 'status'],
    ['the leave that hosts have', { ignoreNotice: true }, 'ignoreNotice'],
  ])('refuses %s at its field', async (_name, over: Record<string, unknown>, path) => {
    const base = wish(eventType, at(5))
    const { attendee, ...rest } = over
    const response = await visit(testApp, 'POST', '/bookings', {
      body: { ...base, ...rest, attendee: { ...base.attendee, ...(attendee as object) } },
    })
    expect(code(response), JSON.stringify(response.body)).toBe('400 invalid_input')
    expect(response.body.issues.map((issue: { path: string }) => issue.path)).toEqual([path])
    expect(await bookings()).toEqual([])
  })

  it('holds every answer against its question', async () => {
    const fields = [
      { key: 'company', label: 'Company', kind: 'text', required: true },
      { key: 'size', label: 'Size', kind: 'choice', required: false, options: ['small', 'large'] },
      { key: 'terms', label: 'Terms', kind: 'checkbox', required: true },
    ]
    const asking = await testApp.newEventType(host, { fields: JSON.stringify(fields) })
    const bad = await book(
      5,
      { answers: { company: ' ', size: 'huge', terms: 'false' } },
      {},
      asking,
    )
    expect(bad.body.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'answers.company',
      'answers.size',
      'answers.terms',
    ])
    const good = await book(
      5,
      { answers: { company: 'Acme', size: '', terms: 'true' } },
      {},
      asking,
    )
    expect(good.body.booking.answers).toEqual([
      { key: 'company', label: 'Company', value: 'Acme' },
      { key: 'terms', label: 'Terms', value: 'true' },
    ])
  })

  it('is rejected for what is not on offer, with the reason that a visitor may know', async () => {
    const strict = await testApp.newEventType(host, {
      notice_minutes: 120,
      booking_window: JSON.stringify({ kind: 'rolling', days: 1 }),
      limit_day: 1,
    })
    await testApp.block(host, at(10), at(11))
    expect(code(await book(1, {}, {}, strict))).toBe('409 too_soon')
    expect(code(await book(2, {}, {}, strict))).toBe('201')
    expect(code(await book(60, {}, {}, strict))).toBe('409 outside_window')
    expect(code(await book(6, {}, {}, strict))).toBe('409 slot_taken')
    expect(code(await book(10))).toBe('409 slot_taken')
    expect(code(await book(10.25))).toBe('409 slot_taken')
    expect(code(await book(5, { duration: 45 }))).toBe('400 invalid_input')
  })

  it.each([
    '0001-01-01T00:00:00Z',
    '1969-12-31T23:59:00Z',
    '2201-01-01T00:00:00Z',
    '9999-12-31T23:30:00Z',
  ])('is refused for %s, as no such time is ever listed', async (start) => {
    const tooFar = {
      status: 400,
      body: {
        code: 'invalid_input',
        issues: [{ path: 'start', message: 'This is too far from now.' }],
      },
    }
    const open = await testApp.newEventType(host, {
      booking_window: JSON.stringify({ kind: 'open' }),
    })
    expect(await book(3, { start }, {}, open)).toMatchObject(tooFar)
    const held = await visit(testApp, 'POST', '/slot-locks', { body: { eventTypeId: open, start } })
    expect(held).toMatchObject(tooFar)
    const made = await book(3, {}, {}, open)
    const moved = await testApp.visit('POST', '/reschedule', made.body.manageToken, { start })
    expect(moved).toMatchObject(tooFar)
  })

  it('is one of five that a visitor can have with a host', async () => {
    const attendee = { name: 'Vera', email: 'vera.five@example.org', timeZone: 'UTC' }
    for (let n = 0; n < 5; n++) expect((await book(3 + n, { attendee })).status).toBe(201)
    const rejected = await book(9, { attendee: { ...attendee, email: 'VERA.five@example.org' } })
    expect(code(rejected)).toBe('409 limit_reached')
    expect((await book(9)).status).toBe(201)
    testApp.time.now = at(4)
    expect((await book(10, { attendee })).status).toBe(201)
  })

  it('is kept when the calendar cannot be written, and reports it', async () => {
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    const { status, body } = await book(5)
    expect([status, body.booking.calendarSync]).toEqual([201, 'pending'])
    expect((await rowOf(body.booking.id)).status).toBe('confirmed')
  })

  it('is not made in an installation without keys', async () => {
    const { config } = testApp.app.services
    const { keyring } = config
    config.keyring = null
    const response = await book(5).finally(() => {
      config.keyring = keyring
    })
    expect(code(response)).toBe('503 scheduling_not_configured')
  })
})

describe('an entry of the host that came in the same second', () => {
  it('is reported to the host, and cancels nothing', async () => {
    const { systems } = testApp.app.services
    const { calendars } = systems
    if (!calendars) throw new Error('no calendars')
    let calls = 0
    systems.calendars = {
      ...calendars,
      busyPeriods: async (...asked) => {
        const busy = await calendars.busyPeriods(...asked)
        // After the look that decided, before the one that follows the booking.
        if (++calls === 1) await testApp.block(host, at(5), at(6))
        return busy
      },
    }
    const response = await testApp
      .act(await testApp.admin(), 'POST', '', wish(eventType, at(5)))
      .finally(() => {
        systems.calendars = calendars
      })
    expect(response, JSON.stringify(response.body)).toMatchObject({
      status: 201,
      body: { hostConflict: true, booking: { status: 'confirmed' } },
    })
    const mails = await testApp.database.db
      .selectFrom('outbox')
      .select('template')
      .where('booking_id', '=', response.body.booking.id)
      .execute()
    expect(mails.map(({ template }) => template)).toContain('booking.host_conflict')
  })
})

describe('booking for a visitor', () => {
  it('may ignore notice and booking window, and neither busy time nor other bookings', async () => {
    const strict = await testApp.newEventType(host, {
      notice_minutes: 600,
      booking_window: JSON.stringify({ kind: 'rolling', days: 0 }),
      requires_confirmation: true,
    })
    const token = await testApp.admin()
    const act = (hours: number, fields: object = {}) =>
      testApp.act(token, 'POST', '', { ...wish(strict, at(hours)), ...fields })
    expect(code(await act(5))).toBe('409 too_soon')
    expect(code(await act(40))).toBe('409 outside_window')
    const made = await act(5, { ignoreNotice: true })
    expect(made, JSON.stringify(made.body)).toMatchObject({
      status: 201,
      body: { booking: { status: 'confirmed', source: 'host' }, hostConflict: false },
    })
    expect((await act(40, { ignoreNotice: true, ignoreWindow: true })).status).toBe(201)
    await testApp.block(host, at(7), at(8))
    const leave = { ignoreNotice: true, ignoreWindow: true }
    expect(code(await act(5, leave))).toBe('409 slot_taken')
    expect(code(await act(7, leave))).toBe('409 slot_taken')
    const audit = await testApp.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('resource_id', '=', made.body.booking.id)
      .execute()
    expect(audit).toMatchObject([
      { action: 'booking.confirmed', actor_type: 'user', actor_email: 'admin@acme.test' },
    ])
  })

  it('is for the host and for admins', async () => {
    const [own, other] = [await host.token(), await testApp.member()]
    expect((await testApp.act(own, 'POST', '', wish(eventType, at(5)))).status).toBe(201)
    expect(code(await testApp.act(other, 'POST', '', wish(eventType, at(6))))).toBe('403 not_admin')
  })

  it('is rejected while the tenant is suspended', async () => {
    await setTenantStatus(testApp, tenant, 'suspended')
    const response = await testApp.act(await testApp.admin(), 'POST', '', wish(eventType, at(5)))
    await setTenantStatus(testApp, tenant, 'active')
    expect(code(response)).toBe('409 tenant_suspended')
  })

  it('tells the host that the calendar is not connected', async () => {
    await testApp.database.db
      .deleteFrom('mail_credentials')
      .where('host_id', '=', host.id)
      .execute()
    expect(code(await testApp.act(await testApp.admin(), 'POST', '', wish(eventType, at(5))))).toBe(
      '409 host_not_connected',
    )
    expect(code(await book(5))).toBe('503 calendar_unavailable')
  })
})

describe('several hosts', () => {
  const hostOf = async (response: { body: { booking: { id: string } } }) =>
    (await rowOf(response.body.booking.id)).host_id

  it('take turns: the one with the fewest bookings, then the one who waited longest', async () => {
    const others = [await testApp.newHost(), await testApp.newHost()]
    const robin = await team('round_robin', others)
    const takers: string[] = []
    for (let n = 0; n < 6; n++) {
      testApp.time.now = new Date(at(0).getTime() + n * 1_000)
      takers.push(await hostOf(await book(5 + n, {}, {}, robin)))
    }
    expect(new Set(takers.slice(0, 3)).size).toBe(3)
    expect(takers.slice(3)).toEqual(takers.slice(0, 3))
  })

  it('pass a booking to who is free, and reject it when nobody is', async () => {
    const other = await testApp.newHost()
    const robin = await team('round_robin', [other])
    await testApp.block(host, at(5), at(6))
    expect(await hostOf(await book(5, {}, {}, robin))).toBe(other.id)
    expect(code(await book(5, {}, {}, robin))).toBe('409 slot_taken')
  })

  it('come together, with the time of each taken', async () => {
    const other = await testApp.newHost()
    const all = await team('collective', [other])
    const ofOther = await testApp.newEventType(other)
    const { body } = await book(5, {}, {}, all)
    const claims = await testApp.database.db
      .selectFrom('booking_hosts')
      .select(['host_id', 'calendar_state'])
      .where('booking_id', '=', body.booking.id)
      .execute()
    expect(claims).toHaveLength(2)
    expect(new Set(claims.map((row) => row.calendar_state))).toEqual(new Set(['synced']))
    expect(code(await book(5, {}, {}, ofOther))).toBe('409 slot_taken')
    await testApp.block(other, at(8), at(9))
    expect(code(await book(8, {}, {}, all))).toBe('409 slot_taken')
  })
})

describe('the times that a booking can be moved to by its host', () => {
  const movable = async (id: string, query = '') => {
    const range = `from=${iso(5)}&to=${iso(9)}&timeZone=UTC`
    const { status, body } = await testApp.request(
      'GET',
      `/api/v1/tenants/${tenant}/bookings/${id}/slots?${range}${query}`,
      {
        token: await host.token(),
      },
    )
    return {
      status,
      code: body.code,
      starts: Object.values(body.slots ?? {}).flatMap((slots) =>
        (slots as { start: string }[]).map(({ start }) => start),
      ),
    }
  }

  it('are those of the hosts that it has, its own among them, and moving to each of them works', async () => {
    const other = await testApp.newHost({ name: 'Otto Other' })
    const id = await team('round_robin', [other])
    await testApp.block(other, at(5), at(7))
    const { body } = await book(5, {}, {}, id)
    const booked = body.booking.id
    expect((await rowOf(booked)).host_id).toBe(host.id)
    await testApp.block(host, at(8), at(9))
    // Otto would take it; the booking stays with Hanna.
    const forVisitors = await visit(
      testApp,
      'GET',
      `/event-types/${id}/slots?from=${iso(5)}&to=${iso(9)}&timeZone=UTC`,
      {},
    )
    expect(JSON.stringify(forVisitors.body.slots)).toContain(iso(8))
    expect(await movable(booked)).toEqual({
      status: 200,
      code: undefined,
      starts: [5, 5.5, 6, 6.5, 7, 7.5].map(iso),
    })
    const moved = async (start: string) =>
      testApp.act(await host.token(), 'POST', `/${booked}/reschedule`, { start })
    for (const start of (await movable(booked)).starts)
      expect((await moved(start)).status).toBe(200)
    expect(await moved(iso(8))).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
  })

  it('are there also when the event type takes no bookings, and not for a booking that is over', async () => {
    const { body } = await book(6, { duration: 30 })
    await testApp.database.db
      .updateTable('event_types')
      .set({ active: false })
      .where('id', '=', eventType)
      .execute()
    expect(await movable(body.booking.id)).toMatchObject({
      status: 200,
      starts: [5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5].map(iso),
    })
    expect(await movable(body.booking.id, '&duration=45')).toMatchObject({
      status: 400,
      code: 'invalid_input',
    })
    await testApp.act(await host.token(), 'POST', `/${body.booking.id}/cancel`, { reason: 'Ill' })
    expect(await movable(body.booking.id)).toMatchObject({ status: 409, code: 'invalid_state' })
  })
})

describe('an Idempotency-Key', () => {
  it('over REST books once, and returns the booking with its link each time', async () => {
    const body = wish(eventType, at(5))
    const address = newAddress()
    const send = (changed: object = {}, from = address) =>
      visit(testApp, 'POST', '/bookings', {
        body: { ...body, ...changed },
        address: from,
        headers: { 'idempotency-key': 'once-1' },
      })
    const answers = [...(await Promise.all([send(), send(), send()])), await send()]
    expect(answers.map(code)).toEqual(['201', '201', '201', '201'])
    expect(
      new Set(answers.map(({ body: { booking, manageToken } }) => `${booking.id} ${manageToken}`))
        .size,
    ).toBe(1)
    expect(
      answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true'),
    ).toHaveLength(3)
    expect((await testApp.visit('GET', '', answers[3]?.body.manageToken)).status).toBe(200)
    expect(code(await send({ note: 'another' }))).toBe('422 idempotency_mismatch')
    expect(code(await send({}, newAddress()))).toBe('409 slot_taken')
    expect(await bookings()).toHaveLength(1)
  })

  it('over tRPC books once however often a form is sent, also where there are places left, and rejects another wish', async () => {
    const shared = await testApp.newEventType(host, { seats: 5 })
    const address = newAddress()
    const body = wish(shared, at(5))
    const send = (from = address, changed: object = {}, key = 'form-1') => {
      const headers = {
        'idempotency-key': key,
        'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
        'x-forwarded-for': from,
      }
      return testApp.request('POST', '/trpc/scheduling.book.create', {
        body: superjson.serialize({ ...body, ...changed }),
        headers,
      })
    }
    const made = ({ status, body }: Awaited<ReturnType<typeof send>>) => {
      expect(status, JSON.stringify(body)).toBe(200)
      return superjson.deserialize<{ booking: { id: string }; manageToken: string }>(
        body.result.data,
      )
    }
    const [first, ...others] = (await Promise.all([send(), send(), send()])).map(made)
    for (const other of [...others, made(await send())]) {
      expect(other).toMatchObject({
        booking: { id: first?.booking.id },
        manageToken: first?.manageToken,
      })
    }
    const rejected = await send(address, { start: iso(6) })
    expect(rejected).toMatchObject({ status: 422 })
    expect(JSON.stringify(rejected.body)).toContain('idempotency_mismatch')
    expect((await send(address, {}, 'with space')).status).toBe(400)
    expect(await bookings(shared)).toHaveLength(1)
    expect(made(await send(newAddress())).manageToken).not.toBe(first?.manageToken)
    expect(await bookings(shared)).toHaveLength(2)
  })

  it('may be used again after a rejection', async () => {
    const address = newAddress()
    const send = () =>
      testApp.request('POST', '/trpc/scheduling.book.create', {
        body: superjson.serialize(again),
        headers: {
          'idempotency-key': 'form-2',
          'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
          'x-forwarded-for': address,
        },
      })
    const again = wish(eventType, at(5))
    await testApp.block(host, at(5), at(6))
    expect((await send()).status).toBe(409)
    for (const { id } of testApp.sandbox.mail.calendars.list()[host.address] ?? [])
      testApp.sandbox.mail.calendars.remove(host.address, id)
    expect((await send()).status).toBe(200)
  })

  it("of the tenant's own people works alike", async () => {
    const token = await host.token()
    const body = wish(eventType, at(5))
    const send = (changed: object = {}) =>
      testApp.request('POST', `/api/v1/tenants/${tenant}/bookings`, {
        token,
        body: { ...body, ...changed },
        headers: { 'idempotency-key': `host-${host.id}` },
      })
    const [first, second] = [await send(), await send()]
    expect([code(first), code(second)]).toEqual(['201', '201'])
    expect(second.body).toEqual(first.body)
    expect(code(await send({ start: iso(7) }))).toBe('422 idempotency_mismatch')
    expect(await bookings()).toHaveLength(1)
  })
})

describe('an event that the host drags to another time in a mail program', () => {
  const drag = (hours: number) => {
    const [entry] = testApp.sandbox.mail.calendars.list()[host.address] ?? []
    const start = { start: iso(hours).slice(0, 19), timeZone: 'UTC' }
    testApp.sandbox.mail.calendars.change(host.address, entry?.id ?? '', start)
  }

  it('is busy where it is now, and its booking keeps its own time', async () => {
    await book(10)
    drag(14)
    const starts = await offered(testApp, eventType, at(10), at(16))
    expect(starts).not.toContain(iso(10))
    expect(starts).not.toContain(iso(14))
    expect(starts).toContain(iso(15))
    expect(code(await book(14))).toBe('409 slot_taken')
    expect(code(await book(10))).toBe('409 slot_taken')
  })

  it("is in nobody's way when its own booking is moved there", async () => {
    const { body } = await book(10)
    drag(14)
    expect(
      (await testApp.visit('POST', '/reschedule', body.manageToken, { start: iso(14) })).status,
    ).toBe(200)
    expect(code(await book(14))).toBe('409 slot_taken')
    expect(code(await book(10))).toBe('201')
  })

  it("counts as the booking's at the old time while the calendar has not got a move", async () => {
    const { body } = await book(10)
    testApp.sandbox.fault({
      system: 'mail',
      match: 'CalendarEvent/set',
      mode: 'error',
      status: 503,
    })
    expect(
      (await testApp.visit('POST', '/reschedule', body.manageToken, { start: iso(12) })).status,
    ).toBe(200)
    testApp.sandbox.clearFaults()
    expect(code(await book(10))).toBe('201')
  })
})

describe('a request that was not decided in time', () => {
  const lapse = async (fields: Record<string, unknown> = {}) => {
    const asking = await testApp.newEventType(host, {
      requires_confirmation: true,
      approval_hours: 1,
      ...fields,
    })
    const { body } = await book(10, {}, {}, asking)
    expect(body.booking).toMatchObject({ status: 'pending' })
    testApp.time.now = at(1)
    return { asking, id: body.booking.id as string }
  }

  it('gives its time back at that moment, before any job has run', async () => {
    const { id } = await lapse()
    expect((await rowOf(id)).status).toBe('pending')
    expect(await offered(testApp, eventType, at(9), at(12))).toContain(iso(10))
    expect(
      code(
        await visit(testApp, 'POST', '/slot-locks', {
          body: { eventTypeId: eventType, start: iso(10) },
        }),
      ),
    ).toBe('201')
    testApp.time.now = at(1.5)
    expect(code(await book(10))).toBe('201')
    await expireBookings(testApp.app.services)
    expect((await rowOf(id)).status).toBe('expired')
    expect(code(await book(10))).toBe('409 slot_taken')
  })

  it('gives it to a booking that moves there, and its place to who shares the start', async () => {
    const { asking } = await lapse({ seats: 2 })
    const { body } = await book(12)
    expect(
      (await testApp.visit('POST', '/reschedule', body.manageToken, { start: iso(10) })).status,
    ).toBe(200)
    await testApp.visit('POST', '/cancel', body.manageToken, {})
    expect([await book(10, {}, {}, asking), await book(10, {}, {}, asking)].map(code)).toEqual([
      '201',
      '201',
    ])
    expect(code(await book(10, {}, {}, asking))).toBe('409 slot_taken')
  })

  it('does not count among the upcoming bookings of its visitor', async () => {
    const attendee = { name: 'Vera Visitor', email: 'vera.requests@example.org', timeZone: 'UTC' }
    const asking = await testApp.newEventType(host, {
      requires_confirmation: true,
      approval_hours: 1,
    })
    for (let n = 0; n < 5; n++)
      expect(code(await book(10 + n, { attendee }, {}, asking))).toBe('201')
    expect(code(await book(20, { attendee }, {}, asking))).toBe('409 limit_reached')
    testApp.time.now = at(2)
    expect(code(await book(20, { attendee }, {}, asking))).toBe('201')
  })
})

describe('limits of an event type', () => {
  const attendee = { name: 'Vera Visitor', email: 'vera.limits@example.org', timeZone: 'UTC' }

  it.each([
    ['five where nothing is said', {}, 5],
    ['as many as it names', { bookings_per_visitor: 2 }, 2],
  ])('let one address have %s upcoming bookings', async (_what, fields, most) => {
    const limited = await testApp.newEventType(host, fields)
    for (let n = 0; n < most; n++)
      expect(code(await book(10 + n, { attendee }, {}, limited))).toBe('201')
    expect(code(await book(20, { attendee }, {}, limited))).toBe('409 limit_reached')
    const open = await testApp.newEventType(host, { bookings_per_visitor: null })
    expect(code(await book(20, { attendee }, {}, open))).toBe('201')
  })

  it('hold for each host of a round robin, or for all of them together', async () => {
    const other = await testApp.newHost()
    const robin = await team('round_robin', [other])
    const set = (fields: object) =>
      testApp.database.db.updateTable('event_types').set(fields).where('id', '=', robin).execute()
    await set({ limit_day: 2 })
    for (const hours of [5, 6, 7, 8]) expect(code(await book(hours, {}, {}, robin))).toBe('201')
    expect(code(await book(9, {}, {}, robin))).toBe('409 slot_taken')
    await set({ limit_day: 5, limits_scope: 'event_type' })
    expect(code(await book(9, {}, {}, robin))).toBe('201')
    expect(code(await book(10, {}, {}, robin))).toBe('409 slot_taken')
    expect(await offered(testApp, robin, at(4), at(20))).toEqual([])
    expect(await offered(testApp, robin, at(24), at(26))).toHaveLength(4)
  })
})
