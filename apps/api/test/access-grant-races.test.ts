import { randomBytes } from 'node:crypto'
import { grantScopes } from '@atrium/core/access-grants/scopes'
import { insertAccessGrant } from '@atrium/testing/access-grants'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { lockIsWaitedFor } from '@atrium/testing/postgres/lock-waits'
import { partnerIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { withHostLocks } from '../src/scheduling/bookings/claim.ts'

let testApp: BookingsTestApp
let tenantId: string
let partnerId: string
beforeAll(async () => {
  testApp = await startBookingsTestApp()
  const { db } = testApp.database
  partnerId = await partnerIdOf(db, 'north')
  tenantId = (
    await db
      .updateTable('tenants')
      .set({ partner_id: partnerId })
      .where('slug', '=', 'acme')
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

let token: string
let grantId: string
beforeEach(async () => {
  const sub = randomBytes(32).toString('hex')
  token = await testApp.issuer.sign({ sub })
  const { db } = testApp.database
  const { id: userId } = await db
    .insertInto('users')
    .values({
      idp_subject_id: sub,
      email: `${sub.slice(0, 20)}@north.test`,
      name: 'Staff',
      partner_id: partnerId,
      partner_access: 'manager',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const now = testApp.app.services.clock.now()
  grantId = await insertAccessGrant(db, now, {
    tenant_id: tenantId,
    user_id: userId,
    partner_id: partnerId,
    scopes: [...grantScopes],
  })
})

const endGrant = () =>
  testApp.database.db
    .updateTable('access_grants')
    .set({ status: 'ended', ended_at: new Date(), ending: 'owner' })
    .where('id', '=', grantId)
    .execute()
const call = (path: string, body?: object) =>
  testApp.request('POST', path, { token, ...(body && { body }) })
const isWaitedFor = () => lockIsWaitedFor(testApp.env.DATABASE_URL)

describe('an access that ends between guard and write', () => {
  let host: TestHost
  let eventTypeId: string
  beforeEach(async () => {
    testApp.time.now = testApp.at(0)
    host = await testApp.newHost()
    eventTypeId = await testApp.newEventType(host)
  })

  /** The call passes its guard and waits for the host; the access ends before it goes on. */
  async function whileEnding(path: string, body?: object) {
    const waiting = await withHostLocks(testApp.database.db, [host.id], async () => {
      const response = call(path, body)
      await isWaitedFor()
      await endGrant()
      return { response }
    })
    return waiting.response
  }

  it.each([
    ['confirm', 'pending', undefined],
    ['decline', 'pending', {}],
    ['cancel', 'confirmed', { reason: 'We are closed.' }],
    ['new-link', 'confirmed', undefined],
    ['reschedule', 'confirmed', 12],
  ] as const)('leaves a booking as it is: %s', async (action, status, fields) => {
    const booking = await testApp.book({ host, eventTypeId, start: testApp.at(10), status })
    const path = `/api/v1/tenants/acme/bookings/${booking.id}`
    const get = async () =>
      (await testApp.request('GET', path, { token: await testApp.admin() })).body
    const before = await get()
    const body = fields === 12 ? { start: testApp.at(12).toISOString() } : fields
    expect(await whileEnding(`${path}/${action}`, body)).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
    expect(await get()).toEqual(before)
  })

  it('books nothing', async () => {
    const body = {
      eventTypeId,
      start: testApp.at(10).toISOString(),
      attendee: { name: 'Vera', email: 'vera@example.org', timeZone: 'UTC' },
    }
    expect(await whileEnding('/api/v1/tenants/acme/bookings', body)).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
    const { body: list } = await testApp.act(await testApp.admin(), 'GET', `?hostId=${host.id}`)
    expect(list.items).toEqual([])
  })

  it('saves no check of a domain', async () => {
    const name = 'checked-late.example.org'
    const added = await call('/tenants/acme/domains', { domain: name })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    const checked = () =>
      testApp.database.db
        .selectFrom('domains')
        .select(['state', 'verdicts', 'last_checked_at', 'verified_at'])
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
    const before = await checked()
    const { dns } = testApp.app.services.systems
    const lookup = dns.lookup.bind(dns)
    using spied = vi.spyOn(dns, 'lookup').mockImplementationOnce(async (...args) => {
      await endGrant()
      return lookup(...args)
    })
    expect(await call(`/tenants/acme/domains/${name}/recheck`, {})).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
    expect(spied).toHaveBeenCalled()
    expect(await checked()).toEqual(before)
  })
})
