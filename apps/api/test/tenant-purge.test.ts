import { claimPurge } from '@atrium/db/tenants/tenant-purges'
import {
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline, identityRecords } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'
import { settleTenant } from '@atrium/testing/suspension-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { purgeTenants } from '../src/tenants/purge.ts'

let testApp: MembersTestApp
/** Runs before the mail server removes a mailbox. */
let beforeRemoval: (() => Promise<void>) | undefined
beforeAll(async () => {
  testApp = await startMembersTestApp({
    integrations(given, config) {
      const clients = clientsWithDeadline(1_000)(given, config)
      const { mail } = clients
      if (!mail) return clients
      const removeAccount: typeof mail.removeAccount = async (id, options) => {
        await beforeRemoval?.()
        return mail.removeAccount(id, options)
      }
      return { ...clients, mail: { ...mail, removeAccount } }
    },
    manyChanges: true,
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => {
  beforeRemoval = undefined
  testApp.sandbox.clearFaults()
})

let made = 0
interface Place {
  slug: string
  email: string
  groupName: string
}

/** A deleted tenant with members, a list and an application. */
async function deletedTenant({ members = 1 } = {}): Promise<Place> {
  made += 1
  const slug = `gone${made}`
  const token = testApp.as.outsider
  const call = async (method: string, path: string, body?: object) => {
    const response = await testApp.request(method, `/tenants/${slug}${path}`, {
      token,
      ...(body ? { body } : {}),
    })
    expect(response.status, `${method} ${path} ${JSON.stringify(response.body)}`).toBeLessThan(300)
    return response
  }
  expect(
    (await testApp.request('POST', '/tenants', { token, body: { name: slug, slug } })).body.status,
  ).toBe('active')
  await call('POST', '/users', { email: 'person', name: 'Person' })
  for (let more = 1; more < members; more++)
    await call('POST', '/users', { email: `person${more}`, name: 'Person' })
  const email = `person@${slug}.tenants.local`
  await call('POST', '/lists', {
    address: `all@${slug}.tenants.local`,
    name: 'All',
    recipients: [email],
  })
  await call('POST', '/sso-apps', { name: 'Wiki', redirectUris: ['https://wiki.example.com/back'] })
  await call('DELETE', '')
  await settleTenant(testApp, slug)
  return { slug, email, groupName: slug }
}

const drives = () =>
  (testApp.sandbox.state().files.records as { drives: { driveAlias: string }[] }).drives.map(
    ({ driveAlias }) => driveAlias,
  )
const mailNames = () => {
  const { Domain, MailingList } = testApp.sandbox.state().mail.records as {
    Domain: { name: string }[]
    MailingList: { name: string }[]
  }
  return { domains: Domain.map(({ name }) => name), lists: MailingList.length }
}
const purge = (slug: string, confirm = slug) =>
  testApp.request('POST', `/tenants/${slug}/purge`, {
    token: testApp.as.operator,
    body: { confirm },
  })
const state = async (slug: string) =>
  (await testApp.request('GET', `/tenants/${slug}?expand=purge`, { token: testApp.as.operator }))
    .body.expanded.purge

/** Runs the job until nothing is due; what failed is due at once. */
async function work(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await testApp.database.db
      .updateTable('tenant_purges')
      .set({ next_at: null })
      .where('state', '<>', 'ok')
      .execute()
    await testApp.database.db
      .updateTable('memberships')
      .set({ next_at: null })
      .where('status', '=', 'removing')
      .execute()
    await purgeTenants(testApp.app.services)
  }
}

async function expectGone({ slug, email, groupName }: Place): Promise<void> {
  expect(await state(slug)).toMatchObject({
    purgedAt: expect.any(String),
    parts: ['files', 'members', 'mail', 'identity', 'records'].map((part) => ({
      part,
      state: 'ok',
      error: null,
    })),
  })
  expect(drives()).not.toContain(`project/${slug}`)
  expect(mailNames().domains).not.toContain(`${slug}.tenants.local`)
  expect(mailbox(testApp, email)).toBeUndefined()
  expect(await fileUser(testApp, email)).toBeUndefined()
  expect(await identityUser(testApp, email)).toBeUndefined()
  expect(identityRecords(testApp).groups.map(({ name }) => name)).not.toContain(groupName)
  const { db } = testApp.database
  const id = await tenantIdOf(db, slug)
  for (const table of ['memberships', 'domains', 'mail_lists', 'sso_apps'] as const) {
    expect(
      await db.selectFrom(table).selectAll().where('tenant_id', '=', id).execute(),
      table,
    ).toEqual([])
  }
}

describe('the purge of a deleted tenant', () => {
  it('begins by itself when the time to restore it is over, and takes everything away', async () => {
    const place = await deletedTenant()
    await purgeTenants(testApp.app.services)
    expect((await state(place.slug)).startedAt).toBeNull()
    const over = { restore_until: new Date(Date.now() - 1_000) }
    await testApp.database.db
      .updateTable('tenants')
      .set(over)
      .where('slug', '=', place.slug)
      .execute()
    await work()
    await expectGone(place)
    // Who owns other tenants stays a person; only what was this tenant's goes.
    expect((await testApp.request('GET', '/users/me', { token: testApp.as.outsider })).status).toBe(
      200,
    )
    const restored = await testApp.request('POST', `/tenants/${place.slug}/restore`, {
      token: testApp.as.operator,
    })
    expect(restored).toMatchObject({ status: 409, body: { code: 'restore_expired' } })
    expect(await testApp.auditActions()).toEqual(
      expect.arrayContaining(['tenant.deleted', 'tenant.purge_started', 'tenant.purged']),
    )
  })

  it.each([
    ['files', 'DELETE /graph/v1.0/drives', 'files'],
    ['files', 'DELETE /graph/v1.0/users', 'members'],
    ['mail', 'x:Account/set', 'members'],
    ['mail', 'x:MailingList/set', 'mail'],
    ['mail', 'x:Domain/set', 'mail'],
    ['identity', 'DELETE /api/v3/core/users/', 'members'],
    ['identity', 'DELETE /api/v3/core/groups/', 'identity'],
  ] as const)(
    'waits for %s that fails at %s, says so, and goes on',
    async (system, match, part) => {
      const place = await deletedTenant()
      testApp.sandbox.fault({ system, match, mode: 'error', status: 503, times: 1_000 })
      expect((await purge(place.slug)).status).toBe(200)
      await work()
      const failed = (await state(place.slug)).parts.find(
        (one: { part: string }) => one.part === part,
      )
      expect(failed).toMatchObject({
        state: 'error',
        error: expect.stringMatching(/^(The|Members)/),
        nextAt: expect.any(String),
      })
      expect((await state(place.slug)).purgedAt).toBeNull()
      testApp.sandbox.clearFaults()
      await work()
      await expectGone(place)
    },
  )

  it('goes on after a process that died while it worked', async () => {
    const place = await deletedTenant()
    await purge(place.slug)
    // Held by nobody who lives.
    const held = {
      provisioning_run: '01a00000-0000-7000-8000-000000000000',
      provisioning_lease_until: new Date(Date.now() + 60_000),
    }
    const row = testApp.database.db.updateTable('tenants').where('slug', '=', place.slug)
    await row.set(held).execute()
    await work()
    expect((await state(place.slug)).purgedAt).toBeNull()
    await row.set({ provisioning_lease_until: new Date(Date.now() - 1) }).execute()
    await work()
    await expectGone(place)
  })

  it('stays with its process while the upstream systems are slow: each member renews the lease', async () => {
    const { db } = testApp.database
    const place = await deletedTenant({ members: 4 })
    await purge(place.slug)
    const takers: unknown[] = []
    beforeRemoval = async () => {
      takers.push(await claimPurge(db))
      // As if the call took 50 of the 60 seconds that the lease lasts.
      await db
        .updateTable('tenants')
        .set({
          provisioning_lease_until: sql<Date>`provisioning_lease_until - interval '50 seconds'`,
        })
        .where('slug', '=', place.slug)
        .execute()
    }
    await purgeTenants(testApp.app.services)
    expect(takers).toEqual([undefined, undefined, undefined, undefined])
    await expectGone(place)
  })

  it('leaves the rest to the process that has taken it over', async () => {
    const { db } = testApp.database
    const place = await deletedTenant({ members: 2 })
    await purge(place.slug)
    const other = '01a00000-0000-7000-8000-000000000000'
    beforeRemoval = async () => {
      await db
        .updateTable('tenants')
        .set({ provisioning_run: other })
        .where('slug', '=', place.slug)
        .execute()
      beforeRemoval = undefined
    }
    await purgeTenants(testApp.app.services)
    const left = await db
      .selectFrom('memberships as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select('m.user_id')
      .where('t.slug', '=', place.slug)
      .execute()
    expect(left.length).toBeGreaterThan(0)
    expect(
      (await state(place.slug)).parts.find(({ part }: { part: string }) => part === 'members')
        .state,
    ).toBe('pending')
    await db
      .updateTable('tenants')
      .set({ provisioning_lease_until: null })
      .where('slug', '=', place.slug)
      .execute()
    await work()
    await expectGone(place)
  })

  it('is begun once by eight operators, and carried out once by eight jobs', async () => {
    const place = await deletedTenant()
    const responses = await Promise.all(Array.from({ length: 8 }, () => purge(place.slug)))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
    await Promise.all(Array.from({ length: 8 }, () => purgeTenants(testApp.app.services)))
    await work()
    await expectGone(place)
    const purged = (await testApp.auditActions()).filter((action) => action === 'tenant.purged')
    const tenants = await testApp.database.db
      .selectFrom('tenants')
      .select('id')
      .where('purged_at', 'is not', null)
      .execute()
    expect(purged).toHaveLength(tenants.length)
  })

  it('is confirmed with the slug, by operators, for deleted tenants alone', async () => {
    const place = await deletedTenant()
    expect(await purge(place.slug, 'acme')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'confirm' }] },
    })
    expect(await purge('acme')).toMatchObject({ status: 409, body: { code: 'not_deleted' } })
    expect((await state(place.slug)).startedAt).toBeNull()
  })

  it('releases the domain for another tenant', async () => {
    const { db } = testApp.database
    const place = await deletedTenant()
    const id = await tenantIdOf(db, place.slug)
    await db
      .insertInto('domains')
      .values({ tenant_id: id, name: 'moved.example.com', verified_at: new Date() })
      .execute()
    const add = () =>
      testApp.call('POST', '/domains', { domain: 'moved.example.com' }, testApp.as.owner)
    expect(await add()).toMatchObject({ status: 409, body: { code: 'already_exists' } })
    await purge(place.slug)
    await work()
    await expectGone(place)
    expect((await add()).status).toBe(201)
  })
})
