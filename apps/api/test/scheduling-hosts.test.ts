import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepCredentials } from '../src/scheduling/credential-jobs.ts'
import { settleCalendar } from '../src/scheduling/effects.ts'
import { proveDomain } from './house.ts'
import { auditOf, setTenantStatus } from './mailboxes.ts'
import { openSchedulingHouse, type SchedulingHouse } from './scheduling-house.ts'

let house: SchedulingHouse

beforeAll(async () => {
  house = await openSchedulingHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.clear())

const issuesOf = (body: { issues?: { path: string; message: string }[] }) => (body.issues ?? []).map(({ path }) => path)

describe('a new host', () => {
  it('takes name and mailbox from the member, and comes with working hours', async () => {
    const host = await house.newHost(house.people.member)
    expect(host).toMatchObject({
      ...{ userId: house.people.member.id, name: 'Mira Member', slug: 'mira-member', zone: 'Europe/Berlin', version: 1 },
      ...{ mailAddress: house.people.member.address, listed: true, active: true, enabled: true, memberStatus: 'active' },
      ...{ limits: { day: null, week: null, month: null }, comingBookings: 0, mintable: true, mayEdit: true },
      credential: { present: false, source: null, checkedAt: null, ok: null, error: null },
      publicUrl: 'http://booking.test/acme/mira-member',
    })
    const { body } = await house.call('GET', `/schedules?hostId=${host.id}`)
    const day = [{ start: '09:00', end: '17:00' }]
    expect(body.items).toMatchObject([
      { timeZone: 'Europe/Berlin', standard: true, weekly: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: [], sun: [] } },
    ])
    expect(await auditOf(house, 'host.created')).toMatchObject([
      { resource_id: host.id, actor_email: 'admin@acme.test', tenant_slug: 'acme' },
    ])
  })

  it('keeps every field that it is given', async () => {
    const fields = {
      ...{ hostSlug: 'advice', name: 'Mira', title: 'Adviser', description: 'First line.\nSecond line.', zone: 'Asia/Kolkata' },
      ...{ avatarUrl: 'https://images.example/mira.png', mailAddress: 'advice@acme.example', listed: false },
      limits: { day: 3, week: 10, month: null },
    }
    await proveDomain(house, 'acme', 'acme.example')
    const host = await house.newHost(house.people.member, fields)
    const { hostSlug, ...others } = fields
    expect(host).toMatchObject({ ...others, slug: hostSlug })
    expect((await house.call('GET', `/hosts/${host.id}`)).body).toEqual(host)
    expect((await house.call('GET', '/hosts')).body).toEqual({ items: [host], nextCursor: null })
  })

  it('is made by members for themselves alone, with an address of their own', async () => {
    const { member, admin } = house.people
    const create = (userId: string, fields: object = {}) =>
      house.call('POST', '/hosts', { userId, zone: 'UTC', ...fields }, house.as.member)
    expect((await create(admin.id)).body).toMatchObject({ code: 'not_admin' })
    expect(issuesOf((await create(member.id, { mailAddress: admin.address })).body)).toEqual(['mailAddress'])
    expect(issuesOf((await create(member.id, { mailAddress: 'boss@elsewhere.example' })).body)).toEqual(['mailAddress'])
    expect((await create(member.id, { mailAddress: 'member@acme.test' })).status).toBe(201)
  })

  it('gets the next free address in the tenant, and only one per member', async () => {
    const { owner, admin, member } = house.people
    await house.newHost(owner, { name: 'Advice' })
    expect(await house.newHost(admin, { name: 'Advice' })).toMatchObject({ slug: 'advice-2' })
    const taken = await house.call('POST', '/hosts', { userId: member.id, zone: 'UTC', hostSlug: 'advice' })
    expect(taken).toMatchObject({ status: 409, body: { code: 'already_exists', issues: [{ path: 'hostSlug' }] } })
    expect(await house.newHost(member, { name: '相談' })).toMatchObject({ slug: 'host' })
    const again = await house.call('POST', '/hosts', { userId: member.id, zone: 'UTC' })
    expect(again).toMatchObject({ status: 409, body: { code: 'already_exists', detail: 'This member is a host already.' } })
  })

  it('is made once when two ask at the same time', async () => {
    const ask = () => house.call('POST', '/hosts', { userId: house.people.member.id, zone: 'UTC' })
    const statuses = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409, 409, 409])
  })

  it.each([
    [{ zone: '+02:00' }, 'zone'],
    [{ zone: 'Mars/Olympus' }, 'zone'],
    [{ userId: randomUUID() }, 'userId'],
    [{ userId: 'mira' }, 'userId'],
    [{ hostSlug: 'Not A Slug' }, 'hostSlug'],
    [{ name: 'Mira\r\nBcc: all@example.com' }, 'name'],
    [{ avatarUrl: 'javascript:alert(1)' }, 'avatarUrl'],
    [{ mailAddress: 'mira' }, 'mailAddress'],
    [{ mailAddress: 'owner@globex.tenants.local' }, 'mailAddress'],
    [{ limits: { day: 0 } }, 'limits.day'],
    [{ limits: { week: 1001 } }, 'limits.week'],
    [{ active: true }, 'active'],
  ])('is refused with a reason at the field: %j', async (fields, path) => {
    const { status, body } = await house.call('POST', '/hosts', { userId: house.people.member.id, zone: 'UTC', ...fields })
    expect({ status, code: body.code, paths: issuesOf(body) }).toEqual({ status: 400, code: 'invalid_input', paths: [path] })
    expect((await house.call('GET', '/hosts')).body.items).toEqual([])
  })

  it('needs an address where the member has no mailbox', async () => {
    const globex = (body: object) => house.request('POST', '/api/v1/tenants/globex/hosts', { token: house.as.stranger, body })
    const { id } = await house.database.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'owner@globex.test')
      .executeTakeFirstOrThrow()
    expect(issuesOf((await globex({ userId: id, zone: 'UTC' })).body)).toEqual(['mailAddress'])
    // A domain that is not proven, or is a stranger's, makes nobody an organizer.
    expect(issuesOf((await globex({ userId: id, zone: 'UTC', mailAddress: 'boss@bank.example' })).body)).toEqual(['mailAddress'])
    await proveDomain(house, 'globex', 'globex.example')
    expect((await globex({ userId: id, zone: 'UTC', mailAddress: 'gero@globex.example' })).body).toMatchObject({ mintable: false })
  })

  it('is refused for a suspended member and in a suspended tenant', async () => {
    const { db } = house.database
    await db.updateTable('memberships').set({ status: 'suspended' }).where('user_id', '=', house.people.member.id).execute()
    const create = () => house.call('POST', '/hosts', { userId: house.people.member.id, zone: 'UTC' })
    expect((await create()).body.code).toBe('member_not_active')
    await db.updateTable('memberships').set({ status: 'active' }).where('user_id', '=', house.people.member.id).execute()
    await setTenantStatus(house, 'acme', 'suspended')
    expect((await create()).body.code).toBe('tenant_suspended')
    await setTenantStatus(house, 'acme', 'active')
  })
})

describe('a host', () => {
  it('is changed field by field, at the version that was read', async () => {
    const host = await house.newHost(house.people.member)
    const patch = (body: object, token?: string) => house.call('PATCH', `/hosts/${host.id}`, body, token)
    const changed = await patch(
      { version: 1, title: 'Adviser', limits: { day: 2, week: null, month: null }, enabled: false },
      house.as.member,
    )
    expect(changed.body).toMatchObject({
      version: 2,
      title: 'Adviser',
      limits: { day: 2 },
      enabled: false,
      active: false,
      name: 'Mira Member',
    })
    expect((await patch({ version: 1, title: 'Late' })).body.code).toBe('version_conflict')
    expect((await patch({ version: 2, title: 'Adviser' })).body.version).toBe(2)
    expect((await patch({ version: 2, title: null })).body).toMatchObject({ version: 3, title: null })
    expect((await patch({ version: 3 })).body.code).toBe('invalid_input')
    expect((await auditOf(house, 'host.updated')).map(({ metadata }) => metadata.fields)).toEqual([
      ['title'],
      ['title', 'active', 'limit_day'],
    ])
  })

  it('does not take the address of another one', async () => {
    await house.newHost(house.people.owner, { hostSlug: 'anna' })
    const host = await house.newHost(house.people.member)
    const { body } = await house.call('PATCH', `/hosts/${host.id}`, { version: 1, hostSlug: 'anna' })
    expect(body).toMatchObject({ code: 'already_exists', issues: [{ path: 'hostSlug' }] })
  })

  it('is not for other members to change, and not there for other tenants', async () => {
    const host = await house.newHost(house.people.owner)
    const path = `/hosts/${host.id}`
    expect((await house.call('PATCH', path, { version: 1, title: 'Mine' }, house.as.member)).body.code).toBe('not_admin')
    expect((await house.call('DELETE', path, undefined, house.as.member)).body.code).toBe('not_admin')
    expect((await house.call('PUT', `${path}/mail-credential`, { mode: 'mint' }, house.as.member)).body.code).toBe('not_admin')
    expect((await house.call('GET', path, undefined, house.as.member)).body).toMatchObject({ id: host.id, mayEdit: false })
    const elsewhere = await house.request('GET', `/api/v1/tenants/globex/hosts/${host.id}`, { token: house.as.stranger })
    expect(elsewhere.body.code).toBe('not_found')
  })

  it('is out of reach for visitors while its person is suspended, and comes back with the person', async () => {
    const host = await house.newHost(house.people.member)
    const standing = async () => (await house.call('GET', `/hosts/${host.id}`)).body
    const users = `/tenants/acme/users/${house.people.member.id}`
    expect((await house.request('POST', `${users}/suspend`, { token: house.as.admin })).status).toBe(200)
    expect(await standing()).toMatchObject({ active: false, enabled: true, memberStatus: 'suspended' })
    expect((await house.request('POST', `${users}/resume`, { token: house.as.admin })).status).toBe(200)
    expect(await standing()).toMatchObject({ active: true, memberStatus: 'active' })
  })

  it('goes with its event types, its hours stay for what was booked, and its address is free again', async () => {
    const host = await house.newHost(house.people.member, { hostSlug: 'mira' })
    await house.database.db
      .insertInto('event_types')
      .values({
        ...{ tenant_id: house.acmeId, host_id: host.id, slug: 'intro', title: 'Intro', durations: [30] },
        ...{ booking_window: JSON.stringify({ kind: 'open' }), location_kind: 'video' },
      })
      .execute()
    expect((await house.call('DELETE', `/hosts/${host.id}`)).status).toBe(204)
    expect((await house.call('GET', `/hosts/${host.id}`)).status).toBe(404)
    expect((await house.call('DELETE', `/hosts/${host.id}`)).status).toBe(404)
    const types = await house.database.db
      .selectFrom('event_types')
      .select(['active', 'removed_at'])
      .where('host_id', '=', host.id)
      .execute()
    expect(types).toMatchObject([{ active: false, removed_at: expect.any(Date) }])
    expect(await house.newHost(house.people.member, { hostSlug: 'mira' })).toMatchObject({ slug: 'mira' })
    expect((await auditOf(house, 'host.removed'))[0]).toMatchObject({ resource_id: host.id, metadata: { cancelledBookings: 0 } })
  })
})

describe('a host with bookings to come', () => {
  it('stays until told what becomes of them; then they are cancelled, the calendar is emptied and the mailbox let go', async () => {
    const host = await house.connectedHost(house.people.member)
    const bookingId = await house.book(host)
    expect((await house.call('GET', `/hosts/${host.id}`)).body).toMatchObject({ comingBookings: 1 })
    const refused = await house.call('DELETE', `/hosts/${host.id}`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'host_in_use', detail: expect.stringContaining('one booking to come') } })
    expect((await house.call('DELETE', `/hosts/${host.id}?cancelBookings=false`)).body.code).toBe('host_in_use')
    expect((await house.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({ status: 'confirmed', calendarSync: 'synced' })

    expect((await house.call('DELETE', `/hosts/${host.id}?cancelBookings=true`)).status).toBe(204)
    const { body } = await house.call('GET', `/bookings/${bookingId}`)
    expect(body).toMatchObject({ status: 'cancelled', endedBy: 'host', reason: 'The host is no longer available.', calendarSync: 'none' })
    expect(await house.appPasswords(house.people.member)).toEqual([])
    expect((await auditOf(house, 'host.removed'))[0]).toMatchObject({ resource_id: host.id, metadata: { cancelledBookings: 1 } })
  })

  it('keeps the credential until the calendar has got the cancellations', async () => {
    const host = await house.connectedHost(house.people.member)
    const bookingId = await house.book(host)
    house.sandbox.fault({ system: 'mail', match: 'CalendarEvent/', mode: 'error', status: 503 })
    expect((await house.call('DELETE', `/hosts/${host.id}?cancelBookings=true`)).status).toBe(204)
    house.sandbox.clearFaults()
    await sweepCredentials(house.app.house)
    expect((await house.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({ status: 'cancelled', calendarSync: 'pending' })
    expect(await house.appPasswords(house.people.member)).toHaveLength(1)

    await house.database.db
      .updateTable('booking_hosts')
      .set({ calendar_next_at: new Date(0) })
      .execute()
    await settleCalendar(house.app.house, bookingId)
    expect((await house.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({ calendarSync: 'none' })
    await sweepCredentials(house.app.house)
    expect(await house.appPasswords(house.people.member)).toEqual([])
  }, 20_000)
})

describe('the settings of the booking page', () => {
  const read = async (token?: string) => (await house.call('GET', '/booking-page', undefined, token)).body
  const patch = (body: object, token?: string) => house.call('PATCH', '/booking-page', body, token)

  it('stand at what everybody starts with, and are changed by admins at the version that was read', async () => {
    const standard = { enabled: true, headline: null, intro: null, embedOrigins: [], publicUrl: 'http://booking.test/acme', version: 0 }
    expect(await read(house.as.member)).toEqual(standard)
    expect((await patch({ version: 0, headline: 'Mine' }, house.as.member)).body.code).toBe('not_admin')
    const first = await patch({ version: 0, headline: 'Meet us', embedOrigins: ['https://www.acme.example/', 'https://www.acme.example'] })
    expect(first.body).toEqual({ ...standard, headline: 'Meet us', embedOrigins: ['https://www.acme.example'], version: 1 })
    expect((await patch({ version: 0, enabled: false })).body.code).toBe('version_conflict')
    expect((await patch({ version: 1, enabled: false, intro: 'Welcome.\nChoose a time.' })).body).toMatchObject({
      ...{ enabled: false, headline: 'Meet us', intro: 'Welcome.\nChoose a time.', version: 2 },
    })
    expect((await patch({ version: 2, headline: null, enabled: true })).body).toMatchObject({ headline: null, version: 3 })
    expect((await auditOf(house, 'booking_page.updated')).map(({ outcome }) => outcome)).toEqual([
      'success',
      'success',
      'success',
      'denied',
    ])
  })

  it.each([
    'https://acme.example/page',
    'http://acme.example',
    'acme.example',
    'https://user:word@acme.example',
    '*',
    "https://a.example; 'none'",
  ])('refuse %s as an origin', async (origin) => {
    const { version } = await read()
    const { status, body } = await patch({ version, embedOrigins: [origin] })
    expect({ status, paths: issuesOf(body) }).toEqual({ status: 400, paths: ['embedOrigins.0'] })
  })
})

it('writes nothing where the installation has no keys, and still shows what is there', async () => {
  await using bare = await openSchedulingHouse({ provisioned: false, env: { ENCRYPTION_KEYS: '' } })
  const { status, body } = await bare.call('POST', '/hosts', { userId: bare.people.member.id, zone: 'UTC' })
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'scheduling_not_configured' })
  expect((await bare.call('GET', '/hosts')).body.items).toEqual([])
}, 60_000)
