import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let admin: string

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(1_500) })
  admin = await testApp.admin()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  testApp.time.now = testApp.at(0)
  host = await testApp.newHost()
})
afterEach(() => testApp.sandbox.clearFaults())

const call = (method: string, path: string, body?: unknown, token = admin) =>
  testApp.request(method, `/api/v1/tenants/acme${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
  })
const audited = async (action: string) => {
  const rows = await testApp.database.db
    .selectFrom('audit_events')
    .selectAll()
    .where('action', '=', action)
    .orderBy('id')
    .execute()
  return rows.at(-1)
}
const issues = (response: { body: { issues?: { path: string }[] } }) =>
  (response.body.issues ?? []).map(({ path }) => path)

const work = { start: '09:00', end: '17:00' }
const hours = (fields: object = {}) => ({
  hostId: host.id,
  name: 'Summer',
  timeZone: 'Europe/Berlin',
  weekly: { mon: [work] },
  ...fields,
})
const replacement = (fields: object = {}) => {
  const { hostId: _, ...content } = hours(fields)
  return content
}
const meeting = (fields: object = {}) => ({
  hostId: host.id,
  title: 'Introduction call',
  durations: [30],
  locationKind: 'video',
  location: 'https://meet.test/anna',
  ...fields,
})
async function made(path: string, body: unknown) {
  const response = await call('POST', path, body)
  expect(response.status, JSON.stringify(response.body)).toBe(201)
  return response.body
}

describe('schedules', () => {
  it('come back as they were given, with every day and the dates in order', async () => {
    const weekly = {
      mon: [work, { start: '18:30', end: '02:00' }],
      tue: [],
      wed: [{ start: '00:00', end: '24:00' }],
      thu: [{ start: '12:00', end: '12:00' }],
      fri: [work],
      sat: [],
      sun: [],
    }
    const overrides = [
      { date: '2027-12-24', windows: [] },
      { date: '2027-06-05', windows: [{ start: '10:00', end: '12:00' }] },
    ]
    const schedule = await made('/schedules', hours({ weekly, overrides }))
    expect(schedule).toMatchObject({
      hostId: host.id,
      name: 'Summer',
      timeZone: 'Europe/Berlin',
      weekly,
      standard: false,
      version: 1,
    })
    expect(schedule.overrides.map(({ date }: { date: string }) => date)).toEqual([
      '2027-06-05',
      '2027-12-24',
    ])
    expect((await call('GET', `/schedules/${schedule.id}`)).body).toEqual(schedule)
    expect((await call('GET', `/schedules?hostId=${host.id}`)).body.items[0]).toEqual(schedule)
    expect(await audited('schedule.created')).toMatchObject({
      resource_id: schedule.id,
      tenant_slug: 'acme',
      resource_name: 'Summer',
    })
  })

  it('are replaced as a whole, at the version that was read', async () => {
    const schedule = await made(
      '/schedules',
      hours({ overrides: [{ date: '2027-06-05', windows: [] }] }),
    )
    const replaced = await call('PUT', `/schedules/${schedule.id}`, {
      version: 1,
      ...replacement({ name: 'Winter', timeZone: 'Asia/Tokyo' }),
    })
    expect(replaced).toMatchObject({
      status: 200,
      body: { name: 'Winter', timeZone: 'Asia/Tokyo', overrides: [], version: 2 },
    })
    expect(await audited('schedule.updated')).toMatchObject({
      metadata: {
        changes: { name: ['Summer', 'Winter'], timeZone: ['Europe/Berlin', 'Asia/Tokyo'] },
      },
    })
    const late = await call('PUT', `/schedules/${schedule.id}`, { version: 1, ...replacement() })
    expect(late).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
    const { affectedBookings, affectedCount, ...view } = replaced.body
    expect([affectedBookings, affectedCount]).toEqual([[], 0])
    expect((await call('GET', `/schedules/${schedule.id}`)).body).toEqual(view)
  })

  it('name the upcoming bookings that new hours no longer hold', async () => {
    const everyDay = (hours: object[]) =>
      Object.fromEntries(
        ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, hours]),
      )
    const open = everyDay([work])
    const schedule = await made('/schedules', hours({ timeZone: 'UTC', weekly: open }))
    const named = await testApp.newEventType(host, { schedule_id: schedule.id })
    const standard = await testApp.newEventType(host)
    const on = (day: number, hour: number, eventTypeId = named) =>
      testApp.book({ host, eventTypeId, start: testApp.at(24 * day + hour) })
    const closed = testApp.at(24).toISOString().slice(0, 10)
    const hit = [await on(1, 10), await on(1, 12), await on(1, 15)]
    // Before the hours, on another day, by another schedule: none of them is affected.
    const spared = [await on(1, 7), await on(2, 10), await on(1, 13, standard)]
    const replace = async (version: number, fields: object) => {
      const { status, body } = await call('PUT', `/schedules/${schedule.id}`, {
        version,
        ...replacement({ timeZone: 'UTC', ...fields }),
      })
      expect(status).toBe(200)
      return {
        count: body.affectedCount,
        ids: body.affectedBookings.map(({ id }: { id: string }) => id),
      }
    }
    const shut = { weekly: open, overrides: [{ date: closed, windows: [] }] }
    expect(await replace(1, shut)).toEqual({ count: 3, ids: hit.map(({ id }) => id) })
    expect(await replace(2, shut)).toEqual({ count: 0, ids: [] })
    expect(await replace(3, { weekly: open })).toEqual({ count: 0, ids: [] })
    expect(await replace(4, { weekly: everyDay([{ start: '11:00', end: '17:00' }]) })).toEqual({
      count: 2,
      ids: [hit[0]?.id, spared[1]?.id],
    })
    expect((await call('GET', `/bookings/${hit[0]?.id}`)).body).toMatchObject({
      status: 'confirmed',
    })
  })

  it('of one version are replaced once, however many try at once', async () => {
    const schedule = await made('/schedules', hours())
    const tries = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        call('PUT', `/schedules/${schedule.id}`, {
          version: 1,
          ...replacement({ name: `Try ${n}` }),
        }),
      ),
    )
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  it('have one standard per host, which stays until another takes its place', async () => {
    const [standard] = (await call('GET', `/schedules?hostId=${host.id}`)).body.items
    expect(standard).toMatchObject({ standard: true })
    const rejected = { status: 409, body: { code: 'schedule_in_use' } }
    expect(await call('DELETE', `/schedules/${standard.id}`)).toMatchObject(rejected)
    const unset = { version: standard.version, ...replacement({ standard: false }) }
    expect(await call('PUT', `/schedules/${standard.id}`, unset)).toMatchObject(rejected)
    const other = await made('/schedules', hours({ standard: true }))
    const after = (await call('GET', `/schedules?hostId=${host.id}`)).body.items
    expect(after.filter((one: { standard: boolean }) => one.standard)).toMatchObject([
      { id: other.id },
    ])
    expect((await call('DELETE', `/schedules/${standard.id}`)).status).toBe(204)
    expect((await call('GET', `/schedules/${standard.id}`)).status).toBe(404)
    expect(await audited('schedule.removed')).toMatchObject({ resource_id: standard.id })
  })

  it('stay while an event type names them, and go when it has gone', async () => {
    const schedule = await made('/schedules', hours())
    const eventType = await made('/event-types', meeting({ scheduleId: schedule.id }))
    expect((await call('GET', `/schedules/${schedule.id}`)).body.eventTypeCount).toBe(1)
    expect(await call('DELETE', `/schedules/${schedule.id}`)).toMatchObject({
      status: 409,
      body: { code: 'schedule_in_use' },
    })
    expect((await call('DELETE', `/event-types/${eventType.id}`)).status).toBe(204)
    expect((await call('DELETE', `/schedules/${schedule.id}`)).status).toBe(204)
  })

  it.each([
    [{ timeZone: '+02:00' }, 'timeZone'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ weekly: { mon: [{ start: '25:00', end: '26:00' }] } }, 'weekly.mon.0.start'],
    [{ weekly: { mon: Array(21).fill(work) } }, 'weekly.mon'],
    [{ overrides: Array(2).fill({ date: '2027-06-05', windows: [] }) }, 'overrides.1.date'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ unknown: 1 }, 'unknown'],
  ])('refuse %j at its field', async (fields, path) => {
    const response = await call('POST', '/schedules', hours(fields))
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(issues(response)).toContain(path)
  })

  it('give the calendar the zone of the standard one, also when it cannot be reached at that moment', async () => {
    const [standard] = (await call('GET', `/schedules?hostId=${host.id}`)).body.items
    const put = (version: number, timeZone: string) =>
      call('PUT', `/schedules/${standard.id}`, { version, ...replacement({ timeZone }) })
    expect((await put(standard.version, 'Asia/Tokyo')).status).toBe(200)
    expect(await testApp.calendarZone(host)).toBe('Asia/Tokyo')
    testApp.sandbox.fault({ system: 'mail', match: 'Calendar/set', mode: 'error', status: 503 })
    expect(await put(standard.version + 1, 'Europe/Paris')).toMatchObject({
      status: 200,
      body: { timeZone: 'Europe/Paris' },
    })
    testApp.sandbox.clearFaults()
    expect(await testApp.calendarZone(host)).toBe('Asia/Tokyo')
    expect(
      testApp.logLines.some((line) =>
        line.includes("failed to set the time zone of the host's calendar"),
      ),
    ).toBe(true)
  })

  it('are at most fifty a host', async () => {
    const { db } = testApp.database
    const row = {
      tenant_id: host.tenantId,
      host_id: host.id,
      name: 'Many',
      zone: 'UTC',
      weekly: JSON.stringify(Array(7).fill([])),
    }
    await db.insertInto('availability_schedules').values(Array(49).fill(row)).execute()
    expect(await call('POST', '/schedules', hours())).toMatchObject({
      status: 409,
      body: { code: 'limit_reached' },
    })
  })

  it('are read page by page', async () => {
    for (const name of ['one', 'two']) await made('/schedules', hours({ name }))
    const first = (await call('GET', `/schedules?hostId=${host.id}&limit=2`)).body
    expect(first.items.map(({ name }: { name: string }) => name)).toEqual(['two', 'one'])
    const second = (
      await call('GET', `/schedules?hostId=${host.id}&limit=2&cursor=${first.nextCursor}`)
    ).body
    expect(second).toMatchObject({ items: [{ name: 'Always' }], nextCursor: null })
  })
})

describe('event types', () => {
  it('come back as they were given, with the address for visitors', async () => {
    const fields = {
      title: 'Workshop',
      eventSlug: 'workshop',
      description: 'Two hours.\nBring a laptop.',
      durations: [120, 60],
      stepMinutes: 30,
      noticeMinutes: 60,
      beforeMinutes: 10,
      afterMinutes: 20,
      seats: 12,
      approvalHours: 24,
      bookingWindow: { kind: 'fixed', from: '2027-06-01', to: '2027-06-30' },
      limits: { day: 2, week: null, month: 10 },
      locationKind: 'in_person',
      location: 'Room 4',
      requiresConfirmation: true,
      cancelCutoffMinutes: 60,
      fields: [
        { key: 'topic', label: 'Topic', kind: 'text', required: true },
        {
          key: 'level',
          label: 'Level',
          kind: 'choice',
          required: false,
          options: ['New', 'Old hand'],
        },
      ],
      reminders: [60, 1_440],
      listed: false,
    }
    const eventType = await made('/event-types', meeting(fields))
    const { eventSlug: _, ...kept } = fields
    expect(eventType).toMatchObject({
      ...kept,
      slug: 'workshop',
      assignment: 'host',
      hostIds: [host.id],
      active: true,
      rescheduleCutoffMinutes: 0,
      version: 1,
    })
    const { slug } = await testApp.database.db
      .selectFrom('hosts')
      .select('slug')
      .where('id', '=', host.id)
      .executeTakeFirstOrThrow()
    expect(eventType.publicUrl).toBe(`http://booking.test/acme/${slug}/workshop`)
    expect((await call('GET', `/event-types/${eventType.id}`)).body).toEqual(eventType)
    expect((await call('GET', `/event-types?hostId=${host.id}`)).body).toEqual({
      items: [eventType],
      nextCursor: null,
    })
    expect(await audited('event_type.created')).toMatchObject({
      resource_id: eventType.id,
      resource_name: 'Workshop',
    })
  })

  it('get an address of their own from the title, and reject one that is taken', async () => {
    expect(await made('/event-types', meeting())).toMatchObject({ slug: 'introduction-call' })
    expect(await made('/event-types', meeting())).toMatchObject({ slug: 'introduction-call-2' })
    expect(await made('/event-types', meeting({ title: '会議' }))).toMatchObject({
      slug: 'meeting',
    })
    const taken = { status: 409, body: { code: 'already_exists', issues: [{ path: 'eventSlug' }] } }
    expect(await call('POST', '/event-types', meeting({ eventSlug: 'meeting' }))).toMatchObject(
      taken,
    )
    const other = await made('/event-types', meeting())
    expect(
      await call('PATCH', `/event-types/${other.id}`, { version: 1, eventSlug: 'meeting' }),
    ).toMatchObject(taken)
    const colleague = await testApp.newHost()
    expect(
      await made('/event-types', meeting({ hostId: colleague.id, eventSlug: 'meeting' })),
    ).toMatchObject({ slug: 'meeting' })
  })

  it('change what is given, at the version that was read', async () => {
    const eventType = await made(
      '/event-types',
      meeting({ fields: [{ key: 'topic', label: 'Topic', kind: 'text' }] }),
    )
    const changed = await call('PATCH', `/event-types/${eventType.id}`, {
      version: 1,
      active: false,
      limits: { day: 3 },
    })
    expect(changed.body).toEqual({
      ...eventType,
      active: false,
      limits: { day: 3, week: null, month: null },
      version: 2,
      updatedAt: changed.body.updatedAt,
    })
    expect(await audited('event_type.updated')).toMatchObject({
      metadata: { changes: { active: [true, false] } },
    })
    const late = await call('PATCH', `/event-types/${eventType.id}`, { version: 1, title: 'Late' })
    expect(late).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  })

  it('reject a change that does not go with what stays', async () => {
    const eventType = await made('/event-types', meeting())
    const patch = (fields: object) =>
      call('PATCH', `/event-types/${eventType.id}`, { version: 1, ...fields })
    expect(issues(await patch({ locationKind: 'phone' }))).toEqual(['location'])
    expect(issues(await patch({ location: null }))).toEqual(['location'])
    expect(issues(await patch({ locationKind: 'visitor_phone', location: null }))).toEqual([
      'fields',
    ])
    expect(issues(await patch({ assignment: 'collective' }))).toEqual(['hostIds'])
    expect((await call('GET', `/event-types/${eventType.id}`)).body).toEqual(eventType)
  })

  it('take only schedules of their host', async () => {
    const colleague = await testApp.newHost()
    const foreign = await made('/schedules', hours({ hostId: colleague.id }))
    for (const scheduleId of [foreign.id, host.id]) {
      const response = await call('POST', '/event-types', meeting({ scheduleId }))
      expect(response).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
      expect(issues(response)).toEqual(['scheduleId'])
    }
  })

  it('of several hosts take active hosts of the tenant alone', async () => {
    const colleague = await testApp.newHost()
    const asleep = await testApp.newHost({ active: false })
    const eventType = await made(
      '/event-types',
      meeting({ assignment: 'round_robin', hostIds: [colleague.id, host.id] }),
    )
    expect(eventType).toMatchObject({ assignment: 'round_robin', hostIds: [host.id, colleague.id] })
    const together = {
      version: 1,
      assignment: 'collective',
      hostIds: [host.id, asleep.id, host.tenantId],
    }
    const rejected = await call('PATCH', `/event-types/${eventType.id}`, together)
    expect(issues(rejected).sort()).toEqual(['hostIds.1', 'hostIds.2'])
    const alone = await call('PATCH', `/event-types/${eventType.id}`, {
      version: 1,
      assignment: 'host',
      hostIds: [host.id],
    })
    expect(alone.body).toMatchObject({ hostIds: [host.id] })
  })

  it('keep the host of a moved booking unless told that it may change', async () => {
    const colleague = await testApp.newHost()
    const eventType = await made(
      '/event-types',
      meeting({ assignment: 'round_robin', hostIds: [host.id, colleague.id] }),
    )
    expect(eventType.rescheduleHost).toBe('same')
    const patch = (rescheduleHost: string) =>
      call('PATCH', `/event-types/${eventType.id}`, { version: 1, rescheduleHost })
    expect(issues(await patch('nobody'))).toEqual(['rescheduleHost'])
    expect(await patch('any')).toMatchObject({
      status: 200,
      body: { rescheduleHost: 'any', version: 2 },
    })
  })

  it('of several hosts are put together by admins, and changed in other things by their host', async () => {
    const colleague = await testApp.newHost()
    const token = await host.token()
    const team = meeting({ assignment: 'round_robin', hostIds: [host.id, colleague.id] })
    expect(await call('POST', '/event-types', team, token)).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
    const eventType = await made('/event-types', team)
    const patch = (fields: object) =>
      call('PATCH', `/event-types/${eventType.id}`, { version: 1, ...fields }, token)
    expect(await patch({ hostIds: [host.id], assignment: 'host' })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
    expect(await patch({ title: 'Help desk' })).toMatchObject({
      status: 200,
      body: { title: 'Help desk' },
    })
  })

  it('stay while bookings are to come, unless those are kept', async () => {
    const eventType = await made(
      '/event-types',
      meeting({ noticeMinutes: 0, bookingWindow: { kind: 'open' } }),
    )
    const booking = await testApp.book({ host, eventTypeId: eventType.id, start: testApp.at(10) })
    const rejected = await call('DELETE', `/event-types/${eventType.id}`)
    expect(rejected).toMatchObject({ status: 409, body: { code: 'event_type_in_use' } })
    expect(rejected.body.detail).toContain('1 booking is')
    expect((await call('DELETE', `/event-types/${eventType.id}?keepBookings=true`)).status).toBe(
      204,
    )
    expect(await audited('event_type.removed')).toMatchObject({ metadata: { keptBookings: 1 } })
    expect((await call('GET', `/event-types/${eventType.id}`)).status).toBe(404)
    expect((await call('GET', `/event-types?hostId=${host.id}`)).body.items).toEqual([])
    const kept = await testApp.database.db
      .selectFrom('bookings')
      .select('status')
      .where('id', '=', booking.id)
      .executeTakeFirstOrThrow()
    expect(kept.status).toBe('confirmed')
    expect(await made('/event-types', meeting())).toMatchObject({ slug: 'introduction-call' })
  })

  it('go at once when their bookings are over', async () => {
    const eventType = await made('/event-types', meeting())
    await testApp.book({ host, eventTypeId: eventType.id, start: testApp.at(1) })
    testApp.time.now = testApp.at(2)
    expect(
      (await call('DELETE', `/event-types/${eventType.id}`, undefined, await testApp.admin()))
        .status,
    ).toBe(204)
  })

  it('of another tenant are not there', async () => {
    const eventType = await made('/event-types', meeting())
    const token = await testApp.operator()
    const elsewhere = (method: string, path: string, body?: object) =>
      testApp.request(method, `/api/v1/tenants/globex${path}`, { token, ...(body ? { body } : {}) })
    const missing = { status: 404, body: { code: 'not_found' } }
    expect(await elsewhere('GET', `/event-types/${eventType.id}`)).toMatchObject(missing)
    expect(
      await elsewhere('PATCH', `/event-types/${eventType.id}`, { version: 1, title: 'Mine' }),
    ).toMatchObject(missing)
    expect(await elsewhere('DELETE', `/event-types/${eventType.id}`)).toMatchObject(missing)
    expect(await elsewhere('POST', '/event-types', meeting())).toMatchObject(missing)
    expect(await elsewhere('POST', '/schedules', hours())).toMatchObject(missing)
  })
})

describe('members', () => {
  it('see and change their own hosts’ offers alone', async () => {
    const [own, other] = [host, await testApp.newHost()]
    const token = await own.token()
    await made('/event-types', meeting({ hostId: other.id }))
    const mine = await made('/event-types', meeting())
    expect((await call('GET', '/event-types', undefined, token)).body.items).toEqual([mine])
    const schedules = (await call('GET', '/schedules', undefined, token)).body.items
    expect(schedules.map(({ hostId }: { hostId: string }) => hostId)).toEqual([own.id])
    for (const path of ['event-types', 'schedules'])
      expect(await call('GET', `/${path}?hostId=${other.id}`, undefined, token)).toMatchObject({
        status: 403,
        body: { code: 'not_admin' },
      })
  })

  it('who are no hosts see none', async () => {
    const token = await testApp.member()
    expect((await call('GET', '/event-types', undefined, token)).body).toEqual({
      items: [],
      nextCursor: null,
    })
    expect((await call('GET', '/schedules', undefined, token)).body).toEqual({
      items: [],
      nextCursor: null,
    })
  })
})

it('changes nothing in a suspended tenant', async () => {
  const { db } = testApp.database
  const set = (status: 'active' | 'suspended') =>
    db.updateTable('tenants').set({ status }).where('slug', '=', 'acme').execute()
  await set('suspended')
  const rejected = { status: 409, body: { code: 'tenant_suspended' } }
  expect(await call('POST', '/schedules', hours())).toMatchObject(rejected)
  expect(await call('POST', '/event-types', meeting())).toMatchObject(rejected)
  await set('active')
})
