import { copyDatabase } from '@atrium/db/testing/database'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHouse, type TestHouse } from './house.ts'

/** Stands for a copy of the database: nothing may be written, and it tells something else, so that an answer shows where it came from. */
let copy: Awaited<ReturnType<typeof copyDatabase>>
let house: TestHouse
let operator: string
beforeAll(async () => {
  copy = await copyDatabase()
  await onCopy(async (client) => {
    await client.query(`insert into audit_events (at, actor_type, action, outcome, resource_type, source, tenant_slug)
      values (now(), 'system', 'tenant.updated', 'success', 'tenant', 'job', 'acme')`)
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    await client.query(`alter database ${pg.escapeIdentifier(rows[0]?.name ?? '')} set default_transaction_read_only = on`)
  })
  house = await openHouse({ provisioned: false, env: { DATABASE_REPLICA_URL: copy.appUrl } })
  operator = await house.token('operator@atrium.test')
}, 60_000)
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await copy[Symbol.asyncDispose]()
})

async function onCopy(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: copy.ownerUrl })
  await client.connect()
  await work(client).finally(() => client.end())
}

const get = (path: string) => house.request('GET', path, { token: operator })

describe('a copy of the database', () => {
  it('is what the audit log is searched and exported in', async () => {
    const renamed = await house.request('PATCH', '/tenants/acme', { token: operator, body: { industry: 'Chandlery' } })
    expect(renamed.status, JSON.stringify(renamed.body)).toBe(200)
    expect(await house.auditActions()).toContain('tenant.updated')
    for (const path of ['/audit', '/audit?action=tenant.*', '/tenants/acme/audit']) {
      expect((await get(path)).body.items, path).toMatchObject([{ action: 'tenant.updated', actorType: 'system', metadata: {} }])
    }
    const { body } = await get('/audit/export?format=ndjson')
    expect(
      String(body)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).actorType),
    ).toEqual(['system'])
  })

  it('is what reports are read from', async () => {
    const { body: sold } = await get('/subscriptions')
    expect(sold.items.filter(({ status }: { status: string }) => status === 'active').length).toBeGreaterThan(0)
    // What was sold has to be out of the queue, because what waits there is read on the first server.
    expect((await get('/reports/mrr')).body.currencies).toEqual([])
    const own = await openHouse({ provisioned: false })
    try {
      const { body } = await own.request('GET', '/reports/mrr', { token: await own.token('operator@atrium.test') })
      expect(body.currencies.length).toBeGreaterThan(0)
    } finally {
      await own[Symbol.asyncDispose]()
    }
  })

  it('takes no writes and decides no rights: those stay with the first server', async () => {
    await onCopy(async (client) => {
      await expect(client.query('delete from tenants')).rejects.toThrow('read-only transaction')
    })
    expect((await get('/users/me')).status).toBe(200)
    expect((await get('/tenants/acme')).body).toMatchObject({ slug: 'acme' })
    expect((await house.request('GET', '/audit', { token: await house.token('member@acme.test') })).status).toBe(403)
  })
})

describe('a copy that cannot be reached', () => {
  it('keeps nothing else from working', async () => {
    const url = new URL(copy.appUrl)
    url.pathname = '/there_is_no_such_database'
    await using alone = await openHouse({ provisioned: false, env: { DATABASE_REPLICA_URL: url.href } })
    const token = await alone.token('operator@atrium.test')
    const call = (method: string, path: string, body?: unknown) => alone.request(method, path, { token, ...(body ? { body } : {}) })
    for (const path of ['/audit', '/reports/mrr']) expect((await call('GET', path)).status, path).toBeGreaterThanOrEqual(500)
    expect((await call('GET', '/tenants/acme')).status).toBe(200)
    expect((await call('PATCH', '/tenants/acme', { industry: 'Ropes' })).status).toBe(200)
  })
})
