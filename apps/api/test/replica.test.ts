import { type ReplicatedDatabase, startReplicated } from '@atrium/testing/postgres/replicated'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

/** A primary and a standby that follows it by streaming replication. */
let servers: ReplicatedDatabase
let testApp: TestApp
let operator: string

const replicaUrl = (port: number) => servers.accounts.appUrl.replace(/:\d+\//, `:${port}/`)
const openOn = (port: number) =>
  startTestApp({
    accounts: servers.accounts,
    provisioned: false,
    env: { DATABASE_REPLICA_URL: replicaUrl(port) },
  })

beforeAll(async () => {
  servers = await startReplicated({ standby: true })
  testApp = await openOn(servers.standby?.port ?? 0)
  operator = await testApp.token('operator@atrium.test')
}, 120_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await servers[Symbol.asyncDispose]()
})
beforeEach(() => void testApp.replicaReads.splice(0))

const get = (path: string) => testApp.request('GET', path, { token: operator })
async function rename(industry: string): Promise<void> {
  const { status, body } = await testApp.request('PATCH', '/tenants/acme', {
    token: operator,
    body: { industry },
  })
  expect(status, JSON.stringify(body)).toBe(200)
}
const onStandby = (text: string) =>
  servers.standby ? servers.ask(servers.standby, text) : Promise.reject(new Error('no standby'))

describe('a copy of the database', () => {
  it('serves searches, exports and reports, including the latest writes', async () => {
    for (let n = 0; n < 20; n++) {
      await rename(`Chandlery ${n}`)
      const before = (await testApp.auditActions()).filter(
        (action) => action === 'tenant.updated',
      ).length
      expect((await get('/audit?action=tenant.updated&limit=100')).body.items).toHaveLength(before)
    }
    expect((await get('/tenants/acme/audit')).body.items[0]).toMatchObject({
      action: 'tenant.updated',
    })
    const { body } = await get('/audit/export?format=ndjson')
    expect(String(body).trim().split('\n')[0]).toContain('audit.exported')
    // A report folds what waits on the first server; from then on the copy knows it too.
    await get('/reports/mrr')
    expect((await get('/reports/mrr')).body.currencies.length).toBeGreaterThan(0)
    const where = Map.groupBy(testApp.replicaReads, (one) => one)
    expect(where.get('replica')?.length ?? 0).toBeGreaterThan(testApp.replicaReads.length / 2)
    expect(where.has('unreachable')).toBe(false)
  })

  it('that is behind is passed over, until it has caught up', async () => {
    await onStandby('select pg_wal_replay_pause()')
    try {
      await rename('Sails')
      expect((await get('/audit?limit=1')).body.items[0]).toMatchObject({
        action: 'tenant.updated',
      })
      expect(testApp.replicaReads).toEqual(['behind'])
      const created = await testApp.request('POST', '/tenants', {
        token: await testApp.token('newcomer@example.test'),
        body: { name: 'Late', slug: 'late', respondAsync: true },
      })
      expect(created.status).toBe(201)
      expect((await get('/tenants/late/audit')).body.items.at(-1)).toMatchObject({
        action: 'tenant.created',
      })
    } finally {
      await onStandby('select pg_wal_replay_resume()')
    }
    await expect
      .poll(
        async () => (await get('/audit?limit=1')).status === 200 && testApp.replicaReads.at(-1),
        { timeout: 15_000 },
      )
      .toBe('replica')
  })

  it('decides no rights: a right that is taken away acts at once, however far the copy is behind', async () => {
    const member = await testApp.token('member@acme.test')
    expect(
      (
        await testApp.request('GET', '/tenants/acme/audit', {
          token: await testApp.token('admin@acme.test'),
        })
      ).status,
    ).toBe(200)
    await onStandby('select pg_wal_replay_pause()')
    try {
      expect((await testApp.request('GET', '/tenants/acme', { token: member })).status).toBe(200)
      await testApp.database.db
        .updateTable('users')
        .set({ deactivated_at: new Date() })
        .where('email', '=', 'member@acme.test')
        .execute()
      expect((await testApp.request('GET', '/tenants/acme', { token: member })).status).toBe(403)
    } finally {
      await onStandby('select pg_wal_replay_resume()')
    }
  })
})

describe('a copy that cannot be used', () => {
  it('because it does not follow another server is not read from', async () => {
    await using alone = await openOn(servers.primary.port)
    await rename('Ropes')
    const told = await alone.request('GET', '/audit?limit=1', {
      token: await alone.token('operator@atrium.test'),
    })
    expect(told.body.items[0]).toMatchObject({ action: 'tenant.updated' })
    expect(alone.replicaReads).toEqual(['unreachable'])
  })

  it('because it has gone leaves every answer to the first server', async () => {
    await servers.standby?.server.kill()
    for (let n = 0; n < 3; n++) {
      await rename(`Anchors ${n}`)
      for (const path of ['/audit', '/tenants/acme/audit', '/reports/mrr', '/reports/top-tenants'])
        expect((await get(path)).status, path).toBe(200)
    }
    expect(new Set(testApp.replicaReads)).toEqual(new Set(['unreachable']))
  })
})
