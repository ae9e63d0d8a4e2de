import { randomUUID } from 'node:crypto'
import { auditOf, setTenantStatus } from '@atrium/testing/mailboxes'
import { userIdOf } from '@atrium/testing/records'
import { type SchedulingTestApp, startSchedulingTestApp } from '@atrium/testing/scheduling-test-app'
import { proveDomain } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncCalendar } from '../src/scheduling/bookings/effects.ts'
import { sweepCredentials } from '../src/scheduling/calendars/credential-jobs.ts'

let testApp: SchedulingTestApp

beforeAll(async () => {
  testApp = await startSchedulingTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.clear())

const issuesOf = (body: { issues?: { path: string; message: string }[] }) =>
  (body.issues ?? []).map(({ path }) => path)

describe('a new host', () => {
  it('takes name and mailbox from the member, and comes with working hours', async () => {
    const host = await testApp.newHost(testApp.people.member)
    expect(host).toMatchObject({
      userId: testApp.people.member.id,
      name: 'Mira Member',
      slug: 'mira-member',
      zone: 'Europe/Berlin',
      version: 1,
      mailAddress: testApp.people.member.address,
      listed: true,
      active: true,
      enabled: true,
      memberStatus: 'active',
      limits: { day: null, week: null, month: null },
      comingBookings: 0,
      mintable: true,
      mayEdit: true,
      credential: { present: false, source: null, checkedAt: null, ok: null, error: null },
      publicUrl: 'http://booking.test/acme/mira-member',
    })
    const { body } = await testApp.call('GET', `/schedules?hostId=${host.id}`)
    const day = [{ start: '09:00', end: '17:00' }]
    expect(body.items).toMatchObject([
      {
        timeZone: 'Europe/Berlin',
        standard: true,
        weekly: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: [], sun: [] },
      },
    ])
    expect(await auditOf(testApp, 'host.created')).toMatchObject([
      { resource_id: host.id, actor_email: 'admin@acme.test', tenant_slug: 'acme' },
    ])
  })

  it('keeps every field that it is given', async () => {
    const fields = {
      hostSlug: 'advice',
      name: 'Mira',
      title: 'Adviser',
      description: 'First line.\nSecond line.',
      zone: 'Asia/Kolkata',
      avatarUrl: 'https://images.example/mira.png',
      mailAddress: 'advice@acme.example',
      listed: false,
      limits: { day: 3, week: 10, month: null },
    }
    await proveDomain(testApp, 'acme', 'acme.example')
    const host = await testApp.newHost(testApp.people.member, fields)
    const { hostSlug, ...others } = fields
    expect(host).toMatchObject({ ...others, slug: hostSlug })
    expect((await testApp.call('GET', `/hosts/${host.id}`)).body).toEqual(host)
    expect((await testApp.call('GET', '/hosts')).body).toEqual({ items: [host], nextCursor: null })
  })

  it('is made by members for themselves alone, with an address of their own', async () => {
    const { member, admin } = testApp.people
    const create = (userId: string, fields: object = {}) =>
      testApp.call('POST', '/hosts', { userId, zone: 'UTC', ...fields }, testApp.as.member)
    expect((await create(admin.id)).body).toMatchObject({ code: 'not_admin' })
    expect(issuesOf((await create(member.id, { mailAddress: admin.address })).body)).toEqual([
      'mailAddress',
    ])
    expect(
      issuesOf((await create(member.id, { mailAddress: 'boss@elsewhere.example' })).body),
    ).toEqual(['mailAddress'])
    expect((await create(member.id, { mailAddress: 'member@acme.test' })).status).toBe(201)
  })

  it('gets the next free address in the tenant, and only one per member', async () => {
    const { owner, admin, member } = testApp.people
    await testApp.newHost(owner, { name: 'Advice' })
    expect(await testApp.newHost(admin, { name: 'Advice' })).toMatchObject({ slug: 'advice-2' })
    const taken = await testApp.call('POST', '/hosts', {
      userId: member.id,
      zone: 'UTC',
      hostSlug: 'advice',
    })
    expect(taken).toMatchObject({
      status: 409,
      body: { code: 'already_exists', issues: [{ path: 'hostSlug' }] },
    })
    expect(await testApp.newHost(member, { name: '相談' })).toMatchObject({ slug: 'host' })
    const again = await testApp.call('POST', '/hosts', { userId: member.id, zone: 'UTC' })
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'already_exists', detail: 'This member is already a host.' },
    })
  })

  it('is made once when two ask at the same time', async () => {
    const ask = () =>
      testApp.call('POST', '/hosts', { userId: testApp.people.member.id, zone: 'UTC' })
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
    const { status, body } = await testApp.call('POST', '/hosts', {
      userId: testApp.people.member.id,
      zone: 'UTC',
      ...fields,
    })
    expect({ status, code: body.code, paths: issuesOf(body) }).toEqual({
      status: 400,
      code: 'invalid_input',
      paths: [path],
    })
    expect((await testApp.call('GET', '/hosts')).body.items).toEqual([])
  })

  it('needs an address where the member has no mailbox', async () => {
    const globex = (body: object) =>
      testApp.request('POST', '/api/v1/tenants/globex/hosts', { token: testApp.as.outsider, body })
    const id = await userIdOf(testApp.database.db, 'owner@globex.test')
    expect(issuesOf((await globex({ userId: id, zone: 'UTC' })).body)).toEqual(['mailAddress'])
    // A domain that is not proven, or is a stranger's, makes nobody an organizer.
    expect(
      issuesOf((await globex({ userId: id, zone: 'UTC', mailAddress: 'boss@bank.example' })).body),
    ).toEqual(['mailAddress'])
    await proveDomain(testApp, 'globex', 'globex.example')
    expect(
      (await globex({ userId: id, zone: 'UTC', mailAddress: 'gero@globex.example' })).body,
    ).toMatchObject({ mintable: false })
  })

  it('is rejected for a suspended member and in a suspended tenant', async () => {
    const { db } = testApp.database
    await db
      .updateTable('memberships')
      .set({ status: 'suspended' })
      .where('user_id', '=', testApp.people.member.id)
      .execute()
    const create = () =>
      testApp.call('POST', '/hosts', { userId: testApp.people.member.id, zone: 'UTC' })
    expect((await create()).body.code).toBe('member_not_active')
    await db
      .updateTable('memberships')
      .set({ status: 'active' })
      .where('user_id', '=', testApp.people.member.id)
      .execute()
    await setTenantStatus(testApp, 'acme', 'suspended')
    expect((await create()).body.code).toBe('tenant_suspended')
    await setTenantStatus(testApp, 'acme', 'active')
  })
})

describe('a host', () => {
  it('is changed field by field, at the version that was read', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const patch = (body: object, token?: string) =>
      testApp.call('PATCH', `/hosts/${host.id}`, body, token)
    const changed = await patch(
      { version: 1, title: 'Adviser', limits: { day: 2, week: null, month: null }, enabled: false },
      testApp.as.member,
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
    expect((await patch({ version: 2, title: null })).body).toMatchObject({
      version: 3,
      title: null,
    })
    expect((await patch({ version: 3 })).body.code).toBe('invalid_input')
    expect(
      (await auditOf(testApp, 'host.updated')).map(({ metadata }) => metadata.changes),
    ).toMatchObject([
      { title: ['Adviser', null] },
      { title: [null, 'Adviser'], active: [true, false], limitDay: [null, 2] },
    ])
  })

  it('does not take the address of another one', async () => {
    await testApp.newHost(testApp.people.owner, { hostSlug: 'anna' })
    const host = await testApp.newHost(testApp.people.member)
    const { body } = await testApp.call('PATCH', `/hosts/${host.id}`, {
      version: 1,
      hostSlug: 'anna',
    })
    expect(body).toMatchObject({ code: 'already_exists', issues: [{ path: 'hostSlug' }] })
  })

  it('is not for other members to change, and not there for other tenants', async () => {
    const host = await testApp.newHost(testApp.people.owner)
    const path = `/hosts/${host.id}`
    expect(
      (await testApp.call('PATCH', path, { version: 1, title: 'Mine' }, testApp.as.member)).body
        .code,
    ).toBe('not_admin')
    expect((await testApp.call('DELETE', path, undefined, testApp.as.member)).body.code).toBe(
      'not_admin',
    )
    expect(
      (await testApp.call('PUT', `${path}/mail-credential`, { mode: 'mint' }, testApp.as.member))
        .body.code,
    ).toBe('not_admin')
    expect((await testApp.call('GET', path, undefined, testApp.as.member)).body).toMatchObject({
      id: host.id,
      mayEdit: false,
    })
    const elsewhere = await testApp.request('GET', `/api/v1/tenants/globex/hosts/${host.id}`, {
      token: testApp.as.outsider,
    })
    expect(elsewhere.body.code).toBe('not_found')
  })

  it('is out of reach for visitors while its person is suspended, and comes back with the person', async () => {
    const host = await testApp.newHost(testApp.people.member)
    const standing = async () => (await testApp.call('GET', `/hosts/${host.id}`)).body
    const users = `/tenants/acme/users/${testApp.people.member.id}`
    expect(
      (await testApp.request('POST', `${users}/suspend`, { token: testApp.as.admin })).status,
    ).toBe(200)
    expect(await standing()).toMatchObject({
      active: false,
      enabled: true,
      memberStatus: 'suspended',
    })
    expect(
      (await testApp.request('POST', `${users}/resume`, { token: testApp.as.admin })).status,
    ).toBe(200)
    expect(await standing()).toMatchObject({ active: true, memberStatus: 'active' })
  })

  it('goes with its event types, its hours stay for what was booked, and its address is free again', async () => {
    const host = await testApp.newHost(testApp.people.member, { hostSlug: 'mira' })
    await testApp.database.db
      .insertInto('event_types')
      .values({
        tenant_id: testApp.acmeId,
        host_id: host.id,
        slug: 'intro',
        title: 'Intro',
        durations: [30],
        booking_window: JSON.stringify({ kind: 'open' }),
        location_kind: 'video',
      })
      .execute()
    expect((await testApp.call('DELETE', `/hosts/${host.id}`)).status).toBe(204)
    expect((await testApp.call('GET', `/hosts/${host.id}`)).status).toBe(404)
    expect((await testApp.call('DELETE', `/hosts/${host.id}`)).status).toBe(404)
    const types = await testApp.database.db
      .selectFrom('event_types')
      .select(['active', 'removed_at'])
      .where('host_id', '=', host.id)
      .execute()
    expect(types).toMatchObject([{ active: false, removed_at: expect.any(Date) }])
    expect(await testApp.newHost(testApp.people.member, { hostSlug: 'mira' })).toMatchObject({
      slug: 'mira',
    })
    expect((await auditOf(testApp, 'host.removed'))[0]).toMatchObject({
      resource_id: host.id,
      metadata: { cancelledBookings: 0 },
    })
  })
})

describe('a host with bookings to come', () => {
  it('stays until told what becomes of them; then they are cancelled, the calendar is emptied and the mailbox let go', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const bookingId = await testApp.book(host)
    expect((await testApp.call('GET', `/hosts/${host.id}`)).body).toMatchObject({
      comingBookings: 1,
    })
    const rejected = await testApp.call('DELETE', `/hosts/${host.id}`)
    expect(rejected).toMatchObject({
      status: 409,
      body: { code: 'host_in_use', detail: expect.stringContaining('1 upcoming booking.') },
    })
    expect((await testApp.call('DELETE', `/hosts/${host.id}?cancelBookings=false`)).body.code).toBe(
      'host_in_use',
    )
    expect((await testApp.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({
      status: 'confirmed',
      calendarSync: 'synced',
    })

    expect((await testApp.call('DELETE', `/hosts/${host.id}?cancelBookings=true`)).status).toBe(204)
    const { body } = await testApp.call('GET', `/bookings/${bookingId}`)
    expect(body).toMatchObject({
      status: 'cancelled',
      endedBy: 'host',
      reason: 'The host is no longer available.',
      calendarSync: 'none',
    })
    expect(await testApp.appPasswords(testApp.people.member)).toEqual([])
    expect((await auditOf(testApp, 'host.removed'))[0]).toMatchObject({
      resource_id: host.id,
      metadata: { cancelledBookings: 1 },
    })
  })

  it('keeps the credential until the calendar has got the cancellations', async () => {
    const host = await testApp.connectedHost(testApp.people.member)
    const bookingId = await testApp.book(host)
    testApp.sandbox.fault({ system: 'mail', match: 'CalendarEvent/', mode: 'error', status: 503 })
    expect((await testApp.call('DELETE', `/hosts/${host.id}?cancelBookings=true`)).status).toBe(204)
    testApp.sandbox.clearFaults()
    await sweepCredentials(testApp.app.services)
    expect((await testApp.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({
      status: 'cancelled',
      calendarSync: 'pending',
    })
    expect(await testApp.appPasswords(testApp.people.member)).toHaveLength(1)

    await testApp.database.db
      .updateTable('booking_hosts')
      .set({ calendar_next_at: new Date(0) })
      .execute()
    await syncCalendar(testApp.app.services, bookingId)
    expect((await testApp.call('GET', `/bookings/${bookingId}`)).body).toMatchObject({
      calendarSync: 'none',
    })
    await sweepCredentials(testApp.app.services)
    expect(await testApp.appPasswords(testApp.people.member)).toEqual([])
  }, 20_000)
})

describe('the settings of the booking page', () => {
  const read = async (token?: string) =>
    (await testApp.call('GET', '/booking-page', undefined, token)).body
  const patch = (body: object, token?: string) =>
    testApp.call('PATCH', '/booking-page', body, token)

  it('stand at what everybody starts with, and are changed by admins at the version that was read', async () => {
    const standard = {
      enabled: true,
      headline: null,
      intro: null,
      embedOrigins: [],
      publicUrl: 'http://booking.test/acme',
      version: 0,
    }
    expect(await read(testApp.as.member)).toEqual(standard)
    expect((await patch({ version: 0, headline: 'Mine' }, testApp.as.member)).body.code).toBe(
      'not_admin',
    )
    const first = await patch({
      version: 0,
      headline: 'Meet us',
      embedOrigins: ['https://www.acme.example/', 'https://www.acme.example'],
    })
    expect(first.body).toEqual({
      ...standard,
      headline: 'Meet us',
      embedOrigins: ['https://www.acme.example'],
      version: 1,
    })
    expect((await patch({ version: 0, enabled: false })).body.code).toBe('version_conflict')
    expect(
      (await patch({ version: 1, enabled: false, intro: 'Welcome.\nChoose a time.' })).body,
    ).toMatchObject({
      enabled: false,
      headline: 'Meet us',
      intro: 'Welcome.\nChoose a time.',
      version: 2,
    })
    expect((await patch({ version: 2, headline: null, enabled: true })).body).toMatchObject({
      headline: null,
      version: 3,
    })
    expect((await auditOf(testApp, 'booking_page.updated')).map(({ outcome }) => outcome)).toEqual([
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
  await using bare = await startSchedulingTestApp({
    provisioned: false,
    env: { ENCRYPTION_KEYS: '' },
  })
  const { status, body } = await bare.call('POST', '/hosts', {
    userId: bare.people.member.id,
    zone: 'UTC',
  })
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'scheduling_not_configured' })
  expect((await bare.call('GET', '/hosts')).body.items).toEqual([])
}, 60_000)
