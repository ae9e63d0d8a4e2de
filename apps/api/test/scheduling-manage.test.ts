import { createHash, randomBytes } from 'node:crypto'
import { eraseManageTokens } from '@atrium/db/scheduling/bookings'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestBooking,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireBookings } from '../src/scheduling/bookings/expire.ts'

let testApp: BookingsTestApp
let host: TestHost
let eventTypeId: string

beforeAll(async () => {
  testApp = await startBookingsTestApp()
  host = await testApp.newHost()
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
let day = 0
beforeEach(async () => {
  // A day of its own for every test, so that none is in another's way.
  day += 48
  testApp.time.now = testApp.at(day)
  eventTypeId = await testApp.newEventType(host, {
    cancel_cutoff_minutes: 60,
    reschedule_cutoff_minutes: 120,
  })
})

const at = (hours: number) => testApp.at(day + hours)
const iso = (hours: number) => at(hours).toISOString()
const book = (hours = 10, fields: Partial<Parameters<BookingsTestApp['book']>[0]> = {}) =>
  testApp.book({ host, eventTypeId, start: at(hours), ...fields })
const move = (booking: TestBooking, hours: number, fields: object = {}) =>
  testApp.visit('POST', '/reschedule', booking.token, { start: iso(hours), ...fields })
const forged = () => randomBytes(32).toString('base64url')
const stored = (booking: TestBooking) =>
  testApp.database.db
    .selectFrom('bookings')
    .selectAll()
    .where('id', '=', booking.id)
    .executeTakeFirstOrThrow()

describe('reading', () => {
  it('opens the booking of a manage link, with what the visitor may do and until when', async () => {
    const booking = await book()
    const { status, body, headers } = await testApp.visit('GET', '', booking.token)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('ratelimit-limit')).toBe('60')
    expect(body).toMatchObject({
      booking: {
        id: booking.id,
        status: 'confirmed',
        start: iso(10),
        end: iso(10.5),
        calendarSync: 'synced',
        attendee: { name: 'Vera Visitor', email: 'vera@example.org', timeZone: 'Europe/Paris' },
      },
      eventType: { id: eventTypeId, durations: [30, 60], offered: true },
      tenant: { slug: 'acme' },
      cancelUntil: iso(9),
      rescheduleUntil: iso(8),
      linkEndsAt: iso(34.5),
      allowedActions: ['cancel', 'reschedule'],
    })
  })

  it('says the same over tRPC', async () => {
    const booking = await book()
    const [rest, trpc] = await Promise.all([
      testApp.visit('GET', '', booking.token),
      testApp.trpc(booking.token).scheduling.manage.get.query({}),
    ])
    expect(trpc).toEqual(rest.body)
  })

  it('goes on until a day after the end, and not a millisecond longer', async () => {
    const booking = await book()
    testApp.time.now = new Date(at(34.5).getTime() - 1)
    const last = await testApp.visit('GET', '', booking.token)
    expect(last).toMatchObject({ status: 200, body: { allowedActions: [] } })
    testApp.time.now = at(34.5)
    expect((await testApp.visit('GET', '', booking.token)).status).toBe(404)
  })

  it('gives the calendar file of a confirmed booking, and none of a request', async () => {
    const [booking, request] = [await book(), await book(12, { status: 'pending' })]
    const file = await testApp.visit('GET', '/calendar.ics', booking.token)
    expect(file.headers.get('content-type')).toBe('text/calendar; charset=utf-8; method=PUBLISH')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="booking.ics"')
    expect(file.body).toContain(`UID:${booking.id}@acme.tenants.local\r\n`)
    expect(file.body).toContain('SEQUENCE:0\r\n')
    expect(await testApp.visit('GET', '/calendar.ics', request.token)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
    await move(booking, 11)
    expect((await testApp.visit('GET', '/calendar.ics', booking.token)).body).toContain(
      'SEQUENCE:1\r\n',
    )
  })

  it('changes nothing, whatever path a mail scanner opens', async () => {
    const booking = await book()
    const before = await stored(booking)
    for (const path of ['', '/calendar.ics', '/cancel', '/reschedule']) {
      await testApp.visit('GET', path, booking.token)
      await testApp.visit('HEAD', path, booking.token)
    }
    expect(await stored(booking)).toEqual(before)
  })
})

describe('the token', () => {
  it('opens nothing when it is forged, cut, another kind of token, dead or missing: always the same answer', async () => {
    const [booking, renewed, old] = [await book(), await book(12), await book(-30)]
    await testApp.act(await testApp.admin(), 'POST', `/${renewed.id}/new-link`)
    const tokens = [
      ...[
        undefined,
        '',
        'x',
        forged(),
        booking.token.slice(0, -1),
        `${booking.token}A`,
        booking.token.toUpperCase(),
        booking.id,
      ],
      ...[
        await testApp.admin(),
        await testApp.operator(),
        renewed.token,
        old.token,
        `${booking.token}\u0000`.replace('\u0000', '%00'),
      ],
    ]
    const responses = []
    for (const token of tokens) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['GET', '/calendar.ics', undefined],
        ['POST', '/cancel', {}],
        ['POST', '/reschedule', { start: iso(11) }],
      ] as const) {
        const { status, body: problem } = await testApp.visit(method, path, token, body)
        responses.push({ status, ...problem, requestId: '' })
      }
    }
    expect(new Set(responses.map((response) => JSON.stringify(response)))).toEqual(
      new Set([
        JSON.stringify({
          status: 404,
          type: '/docs/errors#not_found',
          title: 'Not found, or you do not have access.',
          detail: 'This link is not valid or has expired.',
          code: 'not_found',
          requestId: '',
        }),
      ]),
    )
  })

  it('sees its own booking alone, and its power over others is none', async () => {
    const [one, other] = [await book(), await book(12)]
    await testApp.visit('POST', '/cancel', one.token, {})
    expect((await stored(other)).status).toBe('confirmed')
    expect((await testApp.visit('GET', '', other.token)).body.booking.id).toBe(other.id)
    expect(await testApp.visit('POST', '/cancel', one.token, { id: other.id })).toMatchObject({
      status: 400,
    })
  })

  it('is rejected for a suspended tenant as if it were wrong', async () => {
    const booking = await book()
    const { db } = testApp.database
    await db
      .updateTable('tenants')
      .set({ status: 'suspended' })
      .where('slug', '=', 'acme')
      .execute()
    const response = await testApp.visit('GET', '', booking.token)
    await db.updateTable('tenants').set({ status: 'active' }).where('slug', '=', 'acme').execute()
    expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('is guessed ten times from one address; then even a right one is rejected there, for ten minutes', async () => {
    const booking = await book()
    const address = '192.0.2.7'
    const guesses = await Promise.all(
      Array.from({ length: 30 }, () => testApp.visit('GET', '', forged(), undefined, address)),
    )
    const statuses = guesses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    const rejected = await testApp.visit('GET', '', booking.token, undefined, address)
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await testApp.visit('POST', '/cancel', booking.token, {}, address)).status).toBe(429)
    expect((await testApp.visit('GET', '', booking.token, undefined, '192.0.2.8')).status).toBe(200)
    testApp.time.now = new Date(testApp.time.now.getTime() + 10 * 60_000)
    expect((await testApp.visit('GET', '', booking.token, undefined, address)).status).toBe(200)
  })

  it('allows sixty reads and ten changes a minute from one address', async () => {
    const booking = await book()
    const reads = []
    for (let i = 0; i < 61; i++)
      reads.push((await testApp.visit('GET', '', booking.token, undefined, '192.0.2.20')).status)
    expect(reads).toEqual([...Array.from({ length: 60 }, () => 200), 429])
    const writes = []
    for (let i = 0; i < 11; i++) {
      writes.push(
        (
          await testApp.visit(
            'POST',
            '/reschedule',
            booking.token,
            { start: iso(10) },
            '192.0.2.21',
          )
        ).status,
      )
    }
    expect(writes).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  })

  it('stands in no log, no audit entry and no mail of the queue, and neither does the visitor', async () => {
    const booking = await book(10, { name: 'Quentin Quiet', email: 'quentin.quiet@example.org' })
    await move(booking, 11, { reason: 'The train of Quentin Quiet is late' })
    await move(booking, 11.25)
    await testApp.visit('POST', '/cancel', booking.token, { reason: 'Quentin Quiet is ill' })
    const { manageToken } = (
      await testApp.act(await testApp.admin(), 'POST', `/${(await book(14)).id}/new-link`)
    ).body
    const audit = await testApp.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('resource_type', '=', 'booking')
      .execute()
    const queue = await testApp.database.db
      .selectFrom('outbox')
      .selectAll()
      .where('booking_id', '=', booking.id)
      .execute()
    for (const secret of [booking.token, manageToken as string]) {
      expect(testApp.logLines.join('\n')).not.toContain(secret)
      expect(JSON.stringify(audit)).not.toContain(secret)
      expect(JSON.stringify(queue)).not.toContain(secret)
    }
    for (const personal of ['Quentin', 'quentin']) {
      expect(testApp.logLines.join('\n')).not.toContain(personal)
      expect(JSON.stringify(audit)).not.toContain(personal)
    }
  })

  it('is stored as a hash and sealed, and the sealed one goes with the life of the link', async () => {
    const [over, live] = [await book(-30), await book()]
    const before = await stored(live)
    expect(before.manage_hash.toString('base64url')).not.toBe(live.token)
    expect(before.manage_sealed?.includes(live.token)).toBe(false)
    await eraseManageTokens(
      testApp.database.db,
      new Date(testApp.time.now.getTime() - 24 * 3_600_000),
    )
    expect((await stored(over)).manage_sealed).toBeNull()
    expect((await stored(live)).manage_sealed).toEqual(before.manage_sealed)
  })
})

describe('cancelling', () => {
  it('gives the time back, takes the event out of the calendar and tells everybody once', async () => {
    const booking = await book()
    expect(await testApp.event(booking)).toEqual({
      start: at(10).getTime(),
      end: at(10.5).getTime(),
    })
    const first = await testApp.visit('POST', '/cancel', booking.token, { reason: 'I am ill' })
    expect(first).toMatchObject({
      status: 200,
      body: {
        id: booking.id,
        status: 'cancelled',
        endedBy: 'visitor',
        reason: 'I am ill',
        sequence: 1,
        calendarSync: 'none',
      },
    })
    expect(await testApp.event(booking)).toBeUndefined()
    const mails = await testApp.mails(booking)
    const second = await testApp.visit('POST', '/cancel', booking.token, { reason: 'Once more' })
    expect(second).toMatchObject({ status: 200, body: first.body })
    expect(await testApp.mails(booking)).toEqual(mails)
    expect(await testApp.history(booking)).toEqual(['confirmed', 'cancelled'])
    expect((await book()).id).not.toBe(booking.id)
  })

  it('is recorded as a visitor’s doing', async () => {
    const booking = await book()
    await testApp.visit('POST', '/cancel', booking.token, {}, '198.51.100.4')
    const entry = await testApp.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('resource_id', '=', booking.id)
      .where('action', '=', 'booking.canceled')
      .executeTakeFirstOrThrow()
    expect(entry).toMatchObject({
      actor_type: 'visitor',
      actor_id: null,
      actor_email: null,
      source: 'booking',
      outcome: 'success',
      tenant_slug: 'acme',
      metadata: { by: 'visitor', hostId: host.id },
    })
  })

  it('leaves a link that can be read, and changes nothing any more', async () => {
    const booking = await book()
    await testApp.visit('POST', '/cancel', booking.token, {})
    expect(await testApp.visit('GET', '', booking.token)).toMatchObject({
      status: 200,
      body: { booking: { status: 'cancelled' }, allowedActions: [] },
    })
    expect(await move(booking, 11)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    expect((await testApp.visit('GET', '/calendar.ics', booking.token)).body).toContain(
      'STATUS:CANCELLED',
    )
  })

  it('can be done up to the last moment, which counts', async () => {
    const [one, other] = [await book(), await book(12)]
    testApp.time.now = at(9)
    expect((await testApp.visit('POST', '/cancel', one.token, {})).status).toBe(200)
    testApp.time.now = new Date(at(11).getTime() + 1)
    expect((await testApp.visit('GET', '', other.token)).body.allowedActions).toEqual([])
    expect(await testApp.visit('POST', '/cancel', other.token, {})).toMatchObject({
      status: 409,
      body: { code: 'cutoff_passed' },
    })
    expect((await stored(other)).status).toBe('confirmed')
  })

  it('withdraws an undecided request', async () => {
    const booking = await book(10, { status: 'pending' })
    const { body } = await testApp.visit('POST', '/cancel', booking.token, {})
    expect(body).toMatchObject({ status: 'cancelled', sequence: 0, calendarSync: 'none' })
  })

  it.each([
    ['too long', 'x'.repeat(1_001)],
    ['with controls', 'a\u0000b'],
    ['no text', 7],
  ])('refuses a reason that is %s', async (_, reason) => {
    const booking = await book()
    expect(await testApp.visit('POST', '/cancel', booking.token, { reason })).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: 'reason' }] },
    })
    expect((await stored(booking)).status).toBe('confirmed')
  })

  it('does not replay the answer about one booking to the link of another under the same key', async () => {
    const [one, other] = [await book(), await book(12)]
    const send = (token: string) =>
      testApp.request('POST', '/api/v1/manage/booking/cancel', {
        token,
        body: {},
        headers: { 'idempotency-key': 'same-for-both' },
      })
    expect((await send(one.token)).body).toMatchObject({ id: one.id })
    expect(await send(other.token)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_mismatch' },
    })
    const again = await send(one.token)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })
})

describe('moving', () => {
  it('keeps id, uid and link, counts the sequence up and moves the event', async () => {
    const booking = await book()
    const before = await stored(booking)
    const { status, body } = await move(booking, 13, { reason: 'The train is late' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: booking.id,
      status: 'confirmed',
      start: iso(13),
      end: iso(13.5),
      sequence: 1,
      calendarSync: 'synced',
    })
    const after = await stored(booking)
    expect(after).toMatchObject({
      uid: before.uid,
      manage_hash: before.manage_hash,
      host_wall: iso(13).slice(0, 16),
    })
    expect(await testApp.event(booking)).toEqual({
      start: at(13).getTime(),
      end: at(13.5).getTime(),
    })
    expect((await testApp.visit('GET', '', booking.token)).status).toBe(200)
    const [change] = await testApp.database.db
      .selectFrom('booking_changes')
      .selectAll()
      .where('kind', '=', 'rescheduled')
      .where('booking_id', '=', booking.id)
      .execute()
    expect(change).toMatchObject({
      from_start: at(10),
      to_start: at(13),
      by: 'visitor',
      reason: 'The train is late',
    })
  })

  it('frees the old time in the same moment, and takes the new one', async () => {
    const [booking, other] = [await book(), await book(15)]
    await move(booking, 13)
    expect((await move(other, 10)).status).toBe(200)
    expect(await move(other, 13)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
  })

  it('may overlap with its own old time, buffers included', async () => {
    const buffered = await testApp.newEventType(host, { before_minutes: 60, after_minutes: 60 })
    const booking = await testApp.book({ host, eventTypeId: buffered, start: at(10), minutes: 60 })
    expect(await move(booking, 10.5)).toMatchObject({
      status: 200,
      body: { start: iso(10.5), end: iso(11.5) },
    })
    expect(await move(booking, 10.5, { duration: 30 })).toMatchObject({
      status: 200,
      body: { start: iso(10.5), end: iso(11), sequence: 2 },
    })
  })

  it('to where it is already is answered, and nobody is told', async () => {
    const booking = await book()
    const [before, mails] = [await stored(booking), await testApp.mails(booking)]
    expect(await move(booking, 10, { duration: 30 })).toMatchObject({
      status: 200,
      body: { sequence: 0, start: iso(10) },
    })
    expect(await stored(booking)).toEqual(before)
    expect(await testApp.mails(booking)).toEqual(mails)
  })

  it('of a request needs no sequence: nobody’s calendar has it yet', async () => {
    const booking = await book(10, { status: 'pending' })
    expect(await move(booking, 11)).toMatchObject({
      status: 200,
      body: { status: 'pending', sequence: 0 },
    })
  })

  it('of a request gives the host the time for an answer again, and lets it lapse at no start that it no longer has', async () => {
    await testApp.database.db
      .updateTable('event_types')
      .set({ approval_hours: 24 })
      .where('id', '=', eventTypeId)
      .execute()
    const booking = await book(10, { status: 'pending', approvalExpiresAt: at(10) })
    expect(await move(booking, 20)).toMatchObject({
      status: 200,
      body: { approvalExpiresAt: iso(20) },
    })
    testApp.time.now = at(11)
    await expireBookings(testApp.app.services)
    expect(await move(booking, 40)).toMatchObject({
      status: 200,
      body: { status: 'pending', approvalExpiresAt: iso(11 + 24) },
    })
    const confirmed = await testApp.act(await host.token(), 'POST', `/${booking.id}/confirm`)
    expect(confirmed, JSON.stringify(confirmed.body)).toMatchObject({
      status: 200,
      body: { status: 'confirmed' },
    })
  })

  it('stores the buffers again that the event type has now', async () => {
    const booking = await book()
    await testApp.database.db
      .updateTable('event_types')
      .set({ after_minutes: 30 })
      .where('id', '=', eventTypeId)
      .execute()
    await move(booking, 13)
    expect(await stored(booking)).toMatchObject({ before_minutes: 0, after_minutes: 30 })
    const neighbour = await book(16)
    expect(await move(neighbour, 13.5)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect((await move(neighbour, 14)).status).toBe(200)
  })

  it.each([
    [
      'between two starts',
      'slot_taken',
      async () => ({ start: new Date(at(10).getTime() + 10 * 60_000).toISOString() }),
    ],
    ['in the past', 'too_soon', async () => ({ start: iso(-5) })],
    [
      'in busy time',
      'slot_taken',
      async () => testApp.block(host, at(20), at(21)).then(() => ({ start: iso(20.5) })),
    ],
    [
      'that ends in busy time',
      'slot_taken',
      async () =>
        testApp.block(host, at(22.5), at(23)).then(() => ({ start: iso(22), duration: 60 })),
    ],
    ['of another booking', 'slot_taken', async () => book(18).then(() => ({ start: iso(18) }))],
    ['outside of the booking window', 'outside_window', async () => ({ start: iso(400) })],
  ])('to a time %s is refused, and nothing changes', async (_, code, requested) => {
    await testApp.database.db
      .updateTable('event_types')
      .set({ booking_window: JSON.stringify({ kind: 'rolling', days: 10 }) })
      .where('id', '=', eventTypeId)
      .execute()
    const booking = await book()
    const [before, mails] = [await stored(booking), await testApp.mails(booking)]
    const response = await testApp.visit('POST', '/reschedule', booking.token, await requested())
    expect(response).toMatchObject({ status: 409, body: { code } })
    expect(await stored(booking)).toEqual(before)
    expect(await testApp.mails(booking)).toEqual(mails)
    expect(await testApp.event(booking)).toEqual({
      start: at(10).getTime(),
      end: at(10.5).getTime(),
    })
  })

  it.each([
    ['duration', { duration: 45 }],
    ['duration', { duration: 4 }],
    ['start', { start: 'tomorrow' }],
    ['start', { start: '2027-01-01T10:00:30Z' }],
    ['status', { status: 'cancelled' }],
  ])('refuses what no move can be: %s %o', async (path, fields) => {
    const booking = await book()
    const response = await testApp.visit('POST', '/reschedule', booking.token, {
      start: iso(11),
      ...fields,
    })
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path }] },
    })
  })

  it('can be done up to the last moment, which counts', async () => {
    const booking = await book()
    testApp.time.now = at(8)
    expect((await move(booking, 10.5)).status).toBe(200)
    testApp.time.now = new Date(at(8.5).getTime() + 1)
    expect(await move(booking, 14)).toMatchObject({ status: 409, body: { code: 'cutoff_passed' } })
  })

  it('is no longer offered where the event type takes no bookings any more', async () => {
    const booking = await book()
    await testApp.database.db
      .updateTable('event_types')
      .set({ active: false })
      .where('id', '=', eventTypeId)
      .execute()
    expect((await testApp.visit('GET', '', booking.token)).body.allowedActions).toEqual(['cancel'])
    expect(await move(booking, 11)).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  })

  it('waits only for others’ locks', async () => {
    const booking = await book()
    const hold = async (hours: number) => {
      const lockToken = randomBytes(32).toString('base64url')
      await testApp.database.db
        .insertInto('slot_locks')
        .values({
          lock_id: crypto.randomUUID(),
          host_id: host.id,
          event_type_id: eventTypeId,
          address: '192.0.2.99',
          start_utc: at(hours),
          end_utc: at(hours + 0.5),
          claim_start: at(hours),
          claim_end: at(hours + 0.5),
          holder_hash: createHash('sha256').update(lockToken).digest(),
          expires_at: at(1),
        })
        .execute()
      return lockToken
    }
    const [own] = [await hold(11), await hold(12)]
    expect(await move(booking, 12, { lockToken: own })).toMatchObject({
      status: 409,
      body: { code: 'slot_locked' },
    })
    expect((await move(booking, 11, { lockToken: own })).status).toBe(200)
    const locks = await testApp.database.db
      .selectFrom('slot_locks')
      .select('start_utc')
      .where('host_id', '=', host.id)
      .where('event_type_id', '=', eventTypeId)
      .execute()
    expect(locks).toEqual([{ start_utc: at(12) }])
  })
})
