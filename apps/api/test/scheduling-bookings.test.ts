import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestBooking,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let eventTypeId: string

beforeAll(async () => {
  testApp = await startBookingsTestApp()
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
beforeEach(async () => {
  testApp.time.now = testApp.at(0)
  host = await testApp.newHost()
  eventTypeId = await testApp.newEventType(host)
})

const book = (hours = 10, fields: Partial<Parameters<BookingsTestApp['book']>[0]> = {}) =>
  testApp.book({ host, eventTypeId, start: testApp.at(hours), ...fields })
const request = (hours = 10, fields: Partial<Parameters<BookingsTestApp['book']>[0]> = {}) =>
  book(hours, { status: 'pending', ...fields })
const post = async (booking: TestBooking, action: string, body?: object, token?: string) =>
  testApp.act(token ?? (await testApp.admin()), 'POST', `/${booking.id}/${action}`, body)
const get = async (booking: TestBooking) =>
  (await testApp.act(await testApp.admin(), 'GET', `/${booking.id}`)).body
const list = async (query: Record<string, string>, token?: string) =>
  testApp.act(
    token ?? (await testApp.admin()),
    'GET',
    `?${new URLSearchParams({ hostId: host.id, ...query })}`,
  )
const startsOf = (body: { items: { start: string }[] }) =>
  body.items.map(({ start }) => (Date.parse(start) - testApp.at(0).getTime()) / 3_600_000)

describe('the list', () => {
  it('tells what is to come, the next one first, and what is over, the latest first, page by page', async () => {
    for (const hours of [5, 1, 3, 2, 4, -1, -3, -2]) await book(hours)
    const walk = async (query: Record<string, string>) => {
      const seen: number[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body }: { body: { items: { start: string }[]; nextCursor: string | null } } =
          await list({
            ...query,
            limit: '2',
            ...(cursor === '' ? {} : { cursor }),
          })
        seen.push(...startsOf(body))
        cursor = body.nextCursor
      }
      return seen
    }
    expect(await walk({ when: 'upcoming' })).toEqual([1, 2, 3, 4, 5])
    expect(await walk({ when: 'past' })).toEqual([-1, -2, -3])
    expect(await walk({})).toEqual([5, 4, 3, 2, 1, -1, -2, -3])
  })

  it('skips and repeats nothing where bookings begin at the same moment', async () => {
    const shared = await testApp.newEventType(host, { seats: 10 })
    for (let i = 0; i < 5; i++)
      await testApp.book({ host, eventTypeId: shared, start: testApp.at(10) })
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: { items: { id: string }[]; nextCursor: string | null } } = await list(
        {
          when: 'upcoming',
          limit: '2',
          ...(cursor === '' ? {} : { cursor }),
        },
      )
      ids.push(...body.items.map(({ id }) => id))
      cursor = body.nextCursor
    }
    expect(new Set(ids).size).toBe(5)
    expect(ids).toHaveLength(5)
  })

  it('tells apart what waits for the host, what was held and what ended', async () => {
    await request(2)
    const [declined, cancelled] = [await request(4), await book(6)]
    await book(-2)
    await book(8)
    await post(declined, 'decline')
    await post(cancelled, 'cancel', { reason: 'Ill' })
    const [undecided, upcoming, past, ended] = await Promise.all(
      ['undecided', 'upcoming', 'past', 'ended'].map(async (when) =>
        startsOf((await list({ when })).body),
      ),
    )
    expect({ undecided, upcoming, past, ended }).toEqual({
      undecided: [2],
      upcoming: [2, 8],
      past: [-2],
      ended: [6, 4],
    })
    expect(startsOf((await list({ status: 'declined' })).body)).toEqual([4])
  })

  it('finds visitors by a part of name or address, and takes no pattern for one', async () => {
    await book(1, { name: 'Änne Ärmel', email: 'anne@example.org' })
    await book(2, { name: 'Bob 100%', email: 'bob@example.net' })
    expect(startsOf((await list({ q: 'ärm' })).body)).toEqual([1])
    expect(startsOf((await list({ q: 'EXAMPLE.NET' })).body)).toEqual([2])
    expect(startsOf((await list({ q: '%' })).body)).toEqual([2])
    expect(startsOf((await list({ q: '_' })).body)).toEqual([])
  })

  it('keeps to the range, the end of which is not part of it', async () => {
    for (const hours of [1, 2, 3]) await book(hours)
    const { body } = await list({
      from: testApp.at(1).toISOString(),
      to: testApp.at(3).toISOString(),
    })
    expect(startsOf(body)).toEqual([2, 1])
  })

  it('shows a member the bookings of the host that they are, and of hosts that they meet with, alone', async () => {
    const other = await testApp.newHost()
    const both = await testApp.newEventType(host, { assignment: 'collective' })
    await book(1)
    await testApp.book({
      host: other,
      eventTypeId: await testApp.newEventType(other),
      start: testApp.at(2),
    })
    await testApp.book({ host: other, with: [host], eventTypeId: both, start: testApp.at(4) })
    const seen = await testApp.act(await host.token(), 'GET', '')
    expect(startsOf(seen.body)).toEqual([4, 1])
    expect(
      startsOf((await testApp.act(await host.token(), 'GET', `?hostId=${other.id}`)).body),
    ).toEqual([4])
    expect((await testApp.act(await testApp.member(), 'GET', '')).body.items).toEqual([])
  })

  it.each([
    ['cursor', { cursor: 'abc' }],
    ['cursor', { cursor: '-999999999999999_01a203a8-e3a2-7f83-bd10-ff4fe2eaca5f' }],
    ['limit', { limit: '0' }],
    ['when', { when: 'soon' }],
    ['from', { from: 'yesterday' }],
    ['hostId', { hostId: 'x' }],
    ['order', { order: 'asc' }],
  ])('refuses what it does not know: %s', async (path, query) => {
    expect(await list(query as Record<string, string>)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path }] },
    })
  })
})

describe('one booking', () => {
  it('is told with its answers, its history, who did what, and how far each calendar is', async () => {
    const withForm = await testApp.newEventType(host, {
      fields: JSON.stringify([
        { key: 'topic', label: 'What about?', kind: 'text', required: true },
        { key: 'size', label: 'Team', kind: 'choice', required: false, options: ['1', '2'] },
      ]),
    })
    const booking = await book(10, {
      eventTypeId: withForm,
      answers: { size: '2', topic: 'Flowers', gone: 'x' },
    })
    await post(booking, 'reschedule', {
      start: testApp.at(12).toISOString(),
      reason: 'A conference',
    })
    expect(await get(booking)).toMatchObject({
      id: booking.id,
      answers: [
        { key: 'topic', label: 'What about?', value: 'Flowers' },
        { key: 'size', label: 'Team', value: '2' },
        { key: 'gone', label: 'gone', value: 'x' },
      ],
      hosts: [
        { id: host.id, calendar: { state: 'synced', error: null, drift: 'none', nextAt: null } },
      ],
      calendarSync: 'synced',
      calendarDrift: 'none',
      allowedActions: ['cancel', 'reschedule', 'new_link'],
      history: [
        { kind: 'confirmed', by: 'visitor', actorName: null },
        {
          kind: 'rescheduled',
          by: 'host',
          actorName: 'Adam Admin',
          reason: 'A conference',
          from: testApp.at(10).toISOString(),
          to: testApp.at(12).toISOString(),
        },
      ],
    })
  })

  it('of another tenant, or of nobody, does not exist', async () => {
    const booking = await book()
    const token = await testApp.operator()
    const under = (method: string, path: string, body?: object) =>
      testApp.request(method, `/api/v1/tenants/globex/bookings${path}`, {
        token,
        ...(body && { body }),
      })
    const [foreign, unknown] = [
      await under('GET', `/${booking.id}`),
      await under('GET', '/00000000-0000-4000-8000-000000000000'),
    ]
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
    expect((await under('POST', `/${booking.id}/cancel`, { reason: 'x' })).status).toBe(404)
    expect((await testApp.act(token, 'GET', `/${booking.id}`)).status).toBe(200)
  })

  it('is for its host, for admins and for operators; other members may not touch it', async () => {
    const other = await testApp.newHost()
    for (const [token, status] of [
      [await host.token(), 200],
      [await testApp.operator(), 200],
      [await other.token(), 403],
      [await testApp.member(), 403],
    ] as const) {
      const booking = await book()
      const read = await testApp.act(token, 'GET', `/${booking.id}`)
      const cancelled = await post(booking, 'cancel', { reason: 'Ill' }, token)
      expect([read.status, cancelled.status]).toEqual([status, status])
      if (status === 403) expect(cancelled.body.code).toBe('not_admin')
      if (status === 403) await post(booking, 'cancel', { reason: 'Tidy' })
    }
  })

  it('cannot be changed while the tenant is suspended', async () => {
    const booking = await book()
    const { db } = testApp.database
    await db
      .updateTable('tenants')
      .set({ status: 'suspended' })
      .where('slug', '=', 'acme')
      .execute()
    const response = await post(booking, 'cancel', { reason: 'Ill' })
    const read = await testApp.act(await testApp.admin(), 'GET', `/${booking.id}`)
    await db.updateTable('tenants').set({ status: 'active' }).where('slug', '=', 'acme').execute()
    expect(response).toMatchObject({ status: 409, body: { code: 'tenant_suspended' } })
    expect(read.status).toBe(200)
  })
})

describe('deciding', () => {
  it('confirms: the event is written, the invitation goes out with sequence 0', async () => {
    const booking = await request()
    expect(await testApp.event(booking)).toBeUndefined()
    const { status, body } = await post(booking, 'confirm')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'confirmed',
      sequence: 0,
      calendarSync: 'synced',
      approvalExpiresAt: null,
    })
    expect(await testApp.event(booking)).toEqual({
      start: testApp.at(10).getTime(),
      end: testApp.at(10.5).getTime(),
    })
    expect(await testApp.history(booking)).toEqual(['requested', 'confirmed'])
    expect(await post(booking, 'confirm')).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
  })

  it('looks at everything again: what came into the calendar meanwhile is in the way', async () => {
    const booking = await request()
    await testApp.block(host, testApp.at(10.25), testApp.at(11))
    const mails = await testApp.mails(booking)
    expect(await post(booking, 'confirm')).toMatchObject({
      status: 409,
      body: { code: 'slot_taken' },
    })
    expect(await get(booking)).toMatchObject({
      status: 'pending',
      allowedActions: ['confirm', 'decline', 'cancel', 'reschedule', 'new_link'],
    })
    expect(await testApp.mails(booking)).toEqual(mails)
  })

  it('is not kept from it by the notice, which holds for asking', async () => {
    await testApp.database.db
      .updateTable('event_types')
      .set({ notice_minutes: 600 })
      .where('id', '=', eventTypeId)
      .execute()
    const booking = await request()
    testApp.time.now = testApp.at(9)
    expect((await post(booking, 'confirm')).status).toBe(200)
  })

  it('cannot be done once the time for it is over, whether or not the job has looked', async () => {
    const [late, begun] = [
      await request(80, { approvalExpiresAt: testApp.at(5) }),
      await request(6),
    ]
    testApp.time.now = testApp.at(6)
    for (const booking of [late, begun]) {
      expect(await post(booking, 'confirm')).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      })
      expect(await post(booking, 'decline')).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      })
    }
  })

  it('declines with a word to the visitor, and the time is free', async () => {
    const booking = await request()
    const { body } = await post(booking, 'decline', { reason: 'On holiday' })
    expect(body).toMatchObject({
      status: 'declined',
      reason: 'On holiday',
      endedBy: 'host',
      calendarSync: 'none',
      allowedActions: [],
    })
    expect(await post(booking, 'decline')).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
    await request()
  })
})

describe('cancelling and moving as the host', () => {
  it('needs a reason to cancel, and none of the cut-offs holds', async () => {
    await testApp.database.db
      .updateTable('event_types')
      .set({ cancel_cutoff_minutes: 6_000, reschedule_cutoff_minutes: 6_000 })
      .where('id', '=', eventTypeId)
      .execute()
    const booking = await book()
    expect(await post(booking, 'cancel', {})).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'reason' }] },
    })
    expect(await post(booking, 'cancel', { reason: '  ' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'reason' }] },
    })
    expect(
      await post(booking, 'reschedule', { start: testApp.at(11).toISOString() }),
    ).toMatchObject({ status: 200, body: { sequence: 1 } })
    const first = await post(booking, 'cancel', { reason: 'Ill' })
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'cancelled', endedBy: 'host', reason: 'Ill', sequence: 2 },
    })
    expect((await post(booking, 'cancel', { reason: 'Again' })).body).toEqual(first.body)
  })

  it('can still be cancelled while it runs, and not when it is over', async () => {
    const [running, over] = [await book(1), await book(-2)]
    testApp.time.now = testApp.at(1.25)
    expect((await post(running, 'cancel', { reason: 'Fire alarm' })).status).toBe(200)
    expect(await post(over, 'cancel', { reason: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
    expect(await post(over, 'reschedule', { start: testApp.at(5).toISOString() })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
  })

  it('may leave notice and booking window aside, busy time and other bookings never', async () => {
    await testApp.database.db
      .updateTable('event_types')
      .set({ notice_minutes: 1_440, booking_window: JSON.stringify({ kind: 'rolling', days: 3 }) })
      .where('id', '=', eventTypeId)
      .execute()
    const booking = await book(30)
    await book(8)
    await testApp.block(host, testApp.at(20), testApp.at(21))
    const to = (hours: number, fields: object = {}) =>
      post(booking, 'reschedule', { start: testApp.at(hours).toISOString(), ...fields })
    expect(await to(5)).toMatchObject({ status: 409, body: { code: 'too_soon' } })
    expect(await to(24 * 6)).toMatchObject({ status: 409, body: { code: 'outside_window' } })
    expect((await to(5, { ignoreNotice: true })).status).toBe(200)
    expect((await to(24 * 6, { ignoreWindow: true })).status).toBe(200)
    const all = { ignoreNotice: true, ignoreWindow: true }
    expect(await to(8, all)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect(await to(20.5, all)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect(await to(-1, all)).toMatchObject({ status: 409, body: { code: 'too_soon' } })
  })

  it('moves a meeting with several hosts only where all of them are free', async () => {
    const [second, both] = [
      await testApp.newHost(),
      await testApp.newEventType(host, { assignment: 'collective' }),
    ]
    const booking = await testApp.book({
      host,
      with: [second],
      eventTypeId: both,
      start: testApp.at(10),
    })
    await testApp.block(second, testApp.at(12), testApp.at(13))
    const to = (hours: number) =>
      post(booking, 'reschedule', { start: testApp.at(hours).toISOString() })
    expect(await to(12)).toMatchObject({ status: 409, body: { code: 'slot_taken' } })
    expect((await to(14)).status).toBe(200)
    for (const one of [host, second])
      expect(await testApp.event(booking, one)).toMatchObject({ start: testApp.at(14).getTime() })
  })
})

describe('afterwards', () => {
  it('notes that the visitor did not come, once and only when it is over', async () => {
    const booking = await book(1)
    expect(await post(booking, 'no-show')).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
    testApp.time.now = testApp.at(2)
    expect((await get(booking)).allowedActions).toEqual(['no_show'])
    expect((await post(booking, 'no-show')).body).toMatchObject({
      status: 'confirmed',
      noShow: true,
      allowedActions: [],
    })
    const again = await post(booking, 'no-show')
    expect(again).toMatchObject({ status: 200, body: { noShow: true } })
    expect(await testApp.history(booking)).toEqual(['confirmed', 'no_show'])
  })

  it('gives a new link: the old one is dead, the new one works and goes out by mail', async () => {
    const booking = await book()
    const mails = await testApp.mails(booking)
    const { status, body } = await post(booking, 'new-link')
    expect(status).toBe(200)
    expect(body.manageUrl).toBe(`http://booking.test/manage/${body.manageToken}`)
    expect((await testApp.visit('GET', '', booking.token)).status).toBe(404)
    expect((await testApp.visit('GET', '', body.manageToken)).body.booking.id).toBe(booking.id)
    expect(await testApp.mails(booking)).toHaveLength(mails.length + 1)
    const second = await post(booking, 'new-link')
    expect((await testApp.visit('GET', '', body.manageToken)).status).toBe(404)
    expect((await testApp.visit('GET', '', second.body.manageToken)).status).toBe(200)
    expect(await testApp.mails(booking)).toHaveLength(mails.length + 2)
  })

  it('never stores the answer with a link for a replay', async () => {
    const booking = await book()
    const send = async () =>
      testApp.request('POST', `/api/v1/tenants/acme/bookings/${booking.id}/new-link`, {
        token: await testApp.admin(),
        headers: { 'idempotency-key': `link-of-${booking.id}` },
      })
    expect((await send()).status).toBe(200)
    expect(await send()).toMatchObject({
      status: 409,
      body: { code: 'idempotency_answer_withheld' },
    })
  })

  it('gives no link to what is over', async () => {
    const [over, cancelled] = [await book(-2), await book(5)]
    await post(cancelled, 'cancel', { reason: 'Ill' })
    for (const booking of [over, cancelled])
      expect(await post(booking, 'new-link')).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      })
  })
})

it('records every act of the tenant’s people under its name', async () => {
  const [booking, declined] = [await request(), await request(12)]
  await post(booking, 'confirm')
  await post(booking, 'reschedule', { start: testApp.at(11).toISOString() })
  await post(booking, 'new-link')
  await post(booking, 'cancel', { reason: 'Ill' })
  await post(declined, 'decline')
  const past = await book(-2)
  await post(past, 'no-show')
  const rows = await testApp.database.db
    .selectFrom('audit_events')
    .select(['action', 'actor_type', 'actor_email', 'outcome'])
    .where('resource_id', 'in', [booking.id, declined.id, past.id])
    .orderBy('id')
    .execute()
  expect(new Set(rows.map(({ actor_email: email }) => email))).toEqual(new Set(['admin@acme.test']))
  expect(rows.map(({ action }) => action)).toEqual([
    'booking.confirmed',
    'booking.rescheduled',
    'booking.link_renewed',
    'booking.canceled',
    'booking.declined',
    'booking.no_show',
  ])
})
