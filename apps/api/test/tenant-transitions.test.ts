import { lockTenantById } from '@atrium/db/tenants/tenants'
import { tenantIdOf, userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mostWaiting, tenantTransaction } from '../src/rpc/tenant-transaction.ts'

let testApp: TestApp
let owner: string
let neighbour: string
let acmeId: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: true,
    poolSize: 4,
    env: { AUDIT_HASH_CHAIN: 'true' },
  })
  owner = await testApp.token('owner@acme.test')
  neighbour = await testApp.token('owner@globex.test')
  const { db } = testApp.database
  acmeId = await tenantIdOf(db, 'acme')
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** A loaded machine takes its time. */
const soon = { timeout: 20_000 }

const busy = () => {
  const { open, idle, waiting } = testApp.database.connections()
  return { held: open - idle, waiting }
}

/** Runs `work` while somebody else, such as another process, has locked what `lock` says. */
async function whileLocked(lock: string, value: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: testApp.ownerUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(lock, [value])
    await work()
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

const lockTenantRow = 'select from tenants where id = $1 for no key update'

it('lets twenty waiting writers of one tenant hold one connection of four', async () => {
  const changes: Promise<{ status: number }>[] = []
  await whileLocked(lockTenantRow, acmeId, async () => {
    for (let n = 0; n < 20; n++)
      changes.push(
        testApp.request('PATCH', '/tenants/acme', {
          token: owner,
          body: { industry: `Industry ${n}` },
        }),
      )
    await expect
      .poll(() => testApp.app.services.keyedLimiter.waiting(`tenant ${acmeId}`), soon)
      .toBe(19)
    await expect.poll(busy, soon).toEqual({ held: 1, waiting: 0 })
    const { status, body } = await testApp.request('GET', '/tenants', { token: neighbour })
    expect({ status, slugs: body.items.map(({ slug }: { slug: string }) => slug) }).toEqual({
      status: 200,
      slugs: ['globex'],
    })
    expect(
      (
        await testApp.request('PATCH', '/tenants/globex', {
          token: neighbour,
          body: { industry: 'Energy' },
        })
      ).status,
    ).toBe(200)
    await expect.poll(busy, soon).toEqual({ held: 1, waiting: 0 })
  })
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

it('lets twenty waiting entries of one audit chain hold one connection of four', async () => {
  const { audit } = testApp.app.services
  const entry = { action: 'tenant.updated', resourceType: 'tenant', tenantSlug: 'acme' } as const
  await audit.recordSystem(entry)
  const entries: Promise<void>[] = []
  await whileLocked(
    'select from audit_chain_heads where chain = $1 for update',
    'tenant:acme',
    async () => {
      for (let n = 0; n < 20; n++) entries.push(audit.recordSystem(entry))
      await expect
        .poll(() => testApp.app.services.keyedLimiter.waiting('audit tenant:acme'), soon)
        .toBe(19)
      await expect.poll(busy, soon).toEqual({ held: 1, waiting: 0 })
    },
  )
  await Promise.all(entries)
  const { body } = await testApp.request('GET', '/audit/verify?tenantSlug=acme', {
    token: await testApp.token('operator@atrium.test'),
  })
  expect(body).toMatchObject({ ok: true })
})

it('lets rows that refer to a tenant be inserted while the tenant is locked', async () => {
  const { db } = testApp.database
  const id = await userIdOf(db, 'member@acme.test')
  await tenantTransaction(testApp.app.services, acmeId, async (trx) => {
    await lockTenantById(trx, acmeId)
    // On another connection. Fails after a second where the reference waits for the lock.
    await db.transaction().execute(async (other) => {
      await sql`set local lock_timeout = '1s'`.execute(other)
      await other
        .insertInto('membership_revocations')
        .values({ tenant_id: acmeId, user_id: id })
        .execute()
    })
  })
})

it('rejects a transaction when too many of its tenant wait', async () => {
  const { keyedLimiter } = testApp.app.services
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const tenantId = 'a tenant with too many writers'
  const waiting = Array.from({ length: mostWaiting + 1 }, () =>
    keyedLimiter.take(`tenant ${tenantId}`, () => free),
  )
  await expect(
    tenantTransaction(testApp.app.services, tenantId, async () => {}),
  ).rejects.toMatchObject({ code: 'rate_limited' })
  release()
  await Promise.all(waiting)
  await tenantTransaction(testApp.app.services, tenantId, async () => {})
})
