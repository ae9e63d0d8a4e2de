import { createHash } from 'node:crypto'
import type { TestApp, TestResponse } from '@atrium/testing/test-app'
import { startTestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: TestApp
let operator: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    env: { AUDIT_HASH_CHAIN: 'true' },
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

let chain = 0
let slug = ''
beforeEach(() => {
  slug = `chain-${++chain}`
})

const verify = (query = `tenantSlug=${slug}`): Promise<TestResponse> =>
  testApp.request('GET', `/audit/verify?${query}`, { token: operator })
const record = (
  resourceName: string,
  tenantSlug: string | null = slug,
  partnerSlug: string | null = null,
) =>
  testApp.app.services.audit.recordSystem({
    action: 'tenant.updated',
    resourceType: 'tenant',
    resourceName,
    tenantSlug,
    partnerSlug,
  })
const entries = () =>
  testApp.database.db
    .selectFrom('audit_events')
    .select([
      'id',
      'resource_name as name',
      'chain',
      'chain_seq as seq',
      'prev_hash as previous',
      'hash',
    ])
    .where('tenant_slug', '=', slug)
    .orderBy('chain_seq')
    .execute()

/**
 * What only somebody with the owner's account can do: the triggers are off for these statements.
 */
async function tamper(...statements: string[]): Promise<void> {
  const url = new URL(testApp.config.databaseUrl)
  url.username = 'atrium_owner'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query('begin; alter table audit_events disable trigger audit_refuse')
    for (const statement of statements) await client.query(statement)
    await client.query('alter table audit_events enable trigger audit_refuse; commit')
  } finally {
    await client.end()
  }
}

describe('the hash chain', () => {
  it('links every entry of a tenant to the one before it, and holds', async () => {
    for (const name of ['one', 'two', 'three']) await record(name)
    const rows = await entries()
    expect(rows.map(({ name, seq }) => [name, seq])).toEqual([
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ])
    expect(rows[0]?.previous).toBe(createHash('sha256').update(`tenant:${slug}`).digest('hex'))
    expect(rows.slice(1).map(({ previous }) => previous)).toEqual(
      rows.slice(0, -1).map(({ hash }) => hash),
    )
    expect(await verify()).toMatchObject({
      status: 200,
      body: { enabled: true, ok: true, chains: 1, checked: 3, faults: [], nextCursor: null },
    })
    const { body } = await testApp.request('GET', `/audit?tenantSlug=${slug}`, { token: operator })
    expect(body.items[0]).toMatchObject({ hash: rows[2]?.hash, prevHash: rows[1]?.hash })
  })

  it('keeps its order when many are written at once', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, n) => record(`parallel ${n}`)))
    expect((await entries()).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 40 }, (_, n) => n + 1),
    )
    expect((await verify()).body).toMatchObject({ ok: true, checked: 40 })
  })

  it.each([
    ['a changed text', `update audit_events set resource_name = 'forged' where`, 3, 'changed'],
    [
      'another actor',
      `update audit_events set actor_email = 'somebody@else.test' where`,
      3,
      'changed',
    ],
    [
      'another moment',
      `update audit_events set at = at - interval '1 microsecond' where`,
      3,
      'changed',
    ],
    ['other metadata', `update audit_events set metadata = '{"x":1}' where`, 3, 'changed'],
    ['a removed entry', 'delete from audit_events where', 4, 'gap'],
  ])('finds %s and names the first wrong entry', async (_, statement, sequence, reason) => {
    for (let n = 1; n <= 5; n++) await record(`entry ${n}`)
    const before = await entries()
    await tamper(`${statement} chain = 'tenant:${slug}' and chain_seq = 3`)
    const { body } = await verify()
    expect(body).toMatchObject({
      ok: false,
      faults: [
        {
          chain: `tenant:${slug}`,
          sequence,
          reason,
          id: before[sequence - 1]?.id,
          at: expect.any(String),
        },
      ],
    })
  })

  it('finds that the newest entries are gone', async () => {
    for (let n = 1; n <= 3; n++) await record(`entry ${n}`)
    await tamper(`delete from audit_events where chain = 'tenant:${slug}' and chain_seq = 3`)
    expect((await verify()).body.faults).toMatchObject([
      { sequence: 3, reason: 'end_missing', id: null, at: null },
    ])
    await tamper(`delete from audit_events where chain = 'tenant:${slug}'`)
    expect((await verify()).body.faults).toMatchObject([{ reason: 'end_missing' }])
  })

  it('finds that the oldest entry is gone, and one that was put in', async () => {
    for (let n = 1; n <= 3; n++) await record(`entry ${n}`)
    await tamper(`delete from audit_events where chain = 'tenant:${slug}' and chain_seq = 1`)
    expect((await verify()).body.faults).toMatchObject([{ sequence: 2, reason: 'gap' }])
  })

  it('is of the tenant, else of the partner, else of the platform', async () => {
    await record('with both', slug, 'north')
    await record('partner', null, `${slug}-partner`)
    await record('platform', null)
    expect((await verify(`partnerSlug=${slug}-partner`)).body).toMatchObject({
      ok: true,
      chains: 1,
      checked: 1,
    })
    expect((await entries()).map((entry) => entry.chain)).toEqual([`tenant:${slug}`])
    const all = await verify('limit=200')
    expect(all.body.chains).toBeGreaterThan(3)
  })

  it('is checked page by page, and the check is recorded', async () => {
    await record('one')
    let cursor: string | null = ''
    let chains = 0
    for (let pages = 0; cursor !== null && pages < 100; pages++) {
      const { body }: TestResponse = await verify(
        `limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      chains += body.chains
      cursor = body.nextCursor
    }
    const { count } = await testApp.database.db
      .selectFrom('audit_chain_heads')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(chains).toBe(Number(count))
    expect(await testApp.auditActions()).toContain('audit.verified')
  })

  it('cannot be written by the account of the API', async () => {
    const { db } = testApp.database
    await expect(
      db.updateTable('audit_chain_heads').set({}).where('chain', '=', 'platform').execute(),
    ).rejects.toThrow()
    const client = new pg.Client({ connectionString: testApp.config.databaseUrl })
    await client.connect()
    for (const statement of [
      `update audit_chain_heads set hash = 'x'`,
      `insert into audit_chain_heads values ('tenant:x', 1, 'x')`,
      `insert into audit_events (at, actor_type, action, outcome, resource_type, source, hash) values (now(), 'user', 'x', 'success', 'x', 'api', 'x')`,
    ]) {
      await expect(client.query(statement), statement).rejects.toThrow(/permission denied/)
    }
    await client.end()
  })

  it('tells of entries that were written without it', async () => {
    await record('linked')
    const before = (await verify()).body.unchained
    await testApp.database.db
      .insertInto('audit_events')
      .values({
        at: new Date(),
        actor_type: 'system',
        action: 'tenant.updated',
        outcome: 'success',
        resource_type: 'tenant',
        source: 'job',
        metadata: '{}',
      })
      .execute()
    expect((await verify()).body).toMatchObject({ ok: true, unchained: before + 1 })
  })

  it('rejects a tenant and a partner at once', async () => {
    expect(await verify('tenantSlug=acme&partnerSlug=north')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'partnerSlug' }] },
    })
  })
})

describe('a test app without the chain', () => {
  it('writes no hash and says that the chain is off', async () => {
    await using plain = await startTestApp({ provisioned: false })
    const token = await plain.token('operator@atrium.test')
    await plain.app.services.audit.recordSystem({
      action: 'tenant.updated',
      resourceType: 'tenant',
      tenantSlug: 'acme',
    })
    const { body } = await plain.request('GET', '/audit?tenantSlug=acme', { token })
    expect(body.items).toMatchObject([{ hash: null, prevHash: null }])
    expect((await plain.request('GET', '/audit/verify', { token })).body).toMatchObject({
      enabled: false,
      ok: true,
      chains: 0,
      unchained: 0,
    })
  })

  it('loses no mutation when an entry cannot be linked', async () => {
    const { db } = testApp.database
    const locked = new pg.Client({
      connectionString: testApp.config.databaseUrl.replace(/\/\/[^@]+@/, '//atrium_owner:atrium@'),
    })
    await locked.connect()
    await locked.query('alter table audit_chain_heads rename to audit_chain_heads_away')
    const response = await testApp.request('PATCH', '/tenants/acme', {
      token: operator,
      body: { industry: 'Rockets' },
    })
    await locked.query('alter table audit_chain_heads_away rename to audit_chain_heads')
    await locked.end()
    expect(response.status).toBe(200)
    expect(
      (
        await db
          .selectFrom('tenants')
          .select('industry')
          .where('slug', '=', 'acme')
          .executeTakeFirst()
      )?.industry,
    ).toBe('Rockets')
    expect(testApp.logLines.join('\n')).toContain('failed to write audit entry')
  })
})
