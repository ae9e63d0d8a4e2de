import { setTimeout as delay } from 'node:timers/promises'
import { type EventView, eventDays } from '@atrium/core/events/events'
import { insertAuditEvent, type NewAuditEvent } from '@atrium/db/audit/audit'
import { prepareEventDays } from '@atrium/db/events/events'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let operator: string
let tenant: { id: string; slug: string; partnerId: string; partnerSlug: string }

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, manyChanges: true, ownEvents: true })
  operator = await testApp.token('operator@atrium.test')
  tenant = await testApp.database.db
    .selectFrom('tenants as t')
    .innerJoin('partners as p', 'p.id', 't.partner_id')
    .select(['t.id', 't.slug', 'p.id as partnerId', 'p.slug as partnerSlug'])
    .orderBy('t.slug')
    .executeTakeFirstOrThrow()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const entry = (fields: Partial<NewAuditEvent> = {}): NewAuditEvent => ({
  at: new Date(),
  actorType: 'user',
  actorId: null,
  actorEmail: 'anna@customer.test',
  actorIp: '192.0.2.1',
  action: 'list.updated',
  outcome: 'success',
  resourceType: 'list',
  resourceId: null,
  resourceName: null,
  tenantSlug: tenant.slug,
  partnerSlug: tenant.partnerSlug,
  source: 'api',
  metadata: {},
  ...fields,
})
const write = (fields: Partial<NewAuditEvent>) =>
  insertAuditEvent(testApp.database.db, entry(fields))

const ofTenant = (): TokenOwner => ({ kind: 'tenant', tenantId: tenant.id })
async function tokenOf(owner: TokenOwner, fields: Parameters<typeof insertServiceToken>[2] = {}) {
  return (await insertServiceToken(testApp, owner, fields)).token
}

/** All events behind a cursor, once the last of them is named so. */
async function readUntil(token: string, after: string | null, last: string): Promise<EventView[]> {
  const events: EventView[] = []
  let next = after
  await expect
    .poll(
      async () => {
        const query = next === null ? '' : `&after=${next}`
        const { body } = await testApp.request('GET', `/events?limit=200${query}`, { token })
        events.push(...body.items)
        next = body.nextCursor
        return events.at(-1)?.data.resource.name
      },
      { timeout: 20_000 },
    )
    .toBe(last)
  return events
}
const secondsOf = (cursor: string) => Number(cursor.split('-')[2])
/** Where the events of a reader end now. */
async function end(token: string): Promise<string | null> {
  const mark = `mark ${Math.random()}`
  await write({ action: 'tenant.updated', resourceType: 'tenant', resourceName: mark })
  return (await readUntil(token, null, mark)).at(-1)?.cursor ?? null
}

describe('events', () => {
  it('show a tenant what changed in it, in order, without addresses of the network', async () => {
    const token = await tokenOf(ofTenant())
    const after = await end(token)
    const changed = await testApp.request('PATCH', `/tenants/${tenant.slug}`, {
      token: operator,
      body: { name: 'Another name' },
    })
    expect(changed.status).toBe(200)
    await write({ tenantSlug: 'elsewhere', resourceName: 'of another tenant' })
    await write({ outcome: 'denied', resourceName: 'rejected' })
    await write({ resourceName: 'last', metadata: { requestId: 'r', peerIp: '192.0.2.1' } })
    const events = await readUntil(token, after, 'last')
    expect(events.map(({ type }) => type)).toEqual(['tenant.updated', 'list.updated'])
    expect(events[0]?.data).toMatchObject({
      tenant: tenant.slug,
      actor: { type: 'operator', email: 'operator@atrium.test' },
      changes: { name: [expect.any(String), 'Another name'] },
    })
    expect(events[1]?.data.details).toEqual({})
    expect(JSON.stringify(events)).not.toMatch(/192\.0\.2\.1|requestId/)
  })

  it('are read page by page, each once, and a reader at the end moves on with it', async () => {
    const token = await tokenOf(ofTenant())
    const start = await end(token)
    for (const name of ['one', 'two', 'three']) await write({ resourceName: name })
    await readUntil(token, start, 'three')
    const names: (string | null)[] = []
    let after = start
    for (let more = true; more; ) {
      const { body } = await testApp.request('GET', `/events?limit=1&after=${after}`, { token })
      names.push(body.items[0].data.resource.name)
      after = body.nextCursor
      more = body.more
    }
    expect(names).toEqual(['one', 'two', 'three'])
    const { body } = await testApp.request('GET', `/events?after=${after}`, { token })
    expect(body).toEqual({ items: [], nextCursor: expect.any(String), more: false })
    expect(secondsOf(body.nextCursor)).toBeGreaterThanOrEqual(secondsOf(after ?? ''))
    await write({ resourceName: 'four' })
    const [four] = await readUntil(token, body.nextCursor, 'four')
    expect(four?.data.resource.name).toBe('four')
  })

  it('are followed from now on without reading those before', async () => {
    const token = await tokenOf(ofTenant())
    await end(token)
    const { body } = await testApp.request('GET', '/events?after=end', { token })
    expect(body).toEqual({ items: [], nextCursor: expect.any(String), more: false })
    await write({ resourceName: 'afterwards' })
    const events = await readUntil(token, body.nextCursor, 'afterwards')
    expect(events).toHaveLength(1)
  })

  it.each(['/events', '/events/stream'])(
    'are not read at %s behind a cursor that is older than they are kept',
    async (path) => {
      const now = Math.floor(Date.now() / 1_000)
      const { status, body } = await testApp.request(
        'GET',
        `${path}?after=1-1-${now - eventDays * 86_400 - 1}`,
        { token: operator },
      )
      expect([status, body.code]).toEqual([410, 'cursor_expired'])
      expect(body.detail).toContain('after=end')
      const kept = `${path}?after=1-1-${now - eventDays * 86_400 + 600}`
      expect((await testApp.request('GET', kept, { token: operator })).status).toBe(200)
    },
  )

  it('show a partner its own and what it may know of its customers', async () => {
    const token = await tokenOf({ kind: 'partner', partnerId: tenant.partnerId })
    const after = await end(token)
    await write({ resourceName: 'mail of a customer' })
    await write({ action: 'tenant.suspended', resourceType: 'tenant', resourceName: 'customer' })
    await write({ partnerSlug: 'elsewhere', resourceType: 'tenant' })
    await write({ tenantSlug: 'purged', resourceName: 'mail of a former customer' })
    await write({
      tenantSlug: null,
      action: 'partner.updated',
      actorType: 'partner',
      resourceType: 'partner',
      resourceName: 'own',
    })
    const events = await readUntil(token, after, 'own')
    expect(events.map(({ data }) => [data.resource.name, data.actor.email])).toEqual([
      ['customer', null],
      ['own', 'anna@customer.test'],
    ])
  })

  it('show operators and the platform all of them', async () => {
    const platform = await tokenOf({ kind: 'platform' })
    const after = await end(platform)
    await write({ tenantSlug: null, partnerSlug: null, resourceName: 'of nobody' })
    await write({ tenantSlug: 'elsewhere', partnerSlug: null, resourceName: 'elsewhere' })
    for (const token of [platform, operator]) {
      const events = await readUntil(token, after, 'elsewhere')
      expect(events.map(({ data }) => data.resource.name)).toEqual(['of nobody', 'elsewhere'])
    }
  })

  it('are read in the order of commits: one that commits late is not passed over', async () => {
    const token = await tokenOf(ofTenant())
    const after = await end(token)
    const begun = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const slow = testApp.database.db.transaction().execute(async (trx) => {
      await insertAuditEvent(trx, entry({ resourceName: 'begun first' }))
      begun.resolve()
      await commit.promise
    })
    await begun.promise
    const undone = testApp.database.db.transaction().execute(async (trx) => {
      await insertAuditEvent(trx, entry({ resourceName: 'rolled back' }))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await write({ resourceName: 'committed first' })
    const early = await testApp.request('GET', `/events?after=${after}`, { token })
    expect(early.body.items).toEqual([])
    commit.resolve()
    await slow
    const events = await readUntil(token, after, 'committed first')
    expect(events.map(({ data }) => data.resource.name)).toEqual(['begun first', 'committed first'])
  })

  it('wait for no transaction of another database of the server', async () => {
    const token = await tokenOf(ofTenant())
    const after = await end(token)
    const elsewhere = new URL(testApp.ownerUrl)
    elsewhere.pathname = '/postgres'
    const other = new pg.Client({ connectionString: elsewhere.href })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select pg_current_xact_id()')
      await write({ resourceName: 'beside it' })
      const { body } = await testApp.request('GET', `/events?after=${after}`, { token })
      expect(body.items).toHaveLength(1)
    } finally {
      await other.end()
    }
  })

  it('lose none and repeat none for a reader beside eight writers', async () => {
    const token = await tokenOf(ofTenant())
    let after = await end(token)
    const written = Array.from({ length: 8 }, (_, writer) => `writer ${writer}`).map(
      async (writer) => {
        for (let n = 0; n < 15; n++)
          await testApp.database.db.transaction().execute(async (trx) => {
            await insertAuditEvent(trx, entry({ resourceName: writer, resourceId: String(n) }))
            await delay(Math.random() * 5)
          })
      },
    )
    const seen: string[] = []
    const byWriter = new Map<string, number[]>()
    await expect
      .poll(
        async () => {
          const { body } = await testApp.request('GET', `/events?limit=7&after=${after}`, { token })
          after = body.nextCursor
          for (const { id, data } of body.items as EventView[]) {
            seen.push(id)
            const numbers = byWriter.get(data.resource.name ?? '') ?? []
            byWriter.set(data.resource.name ?? '', [...numbers, Number(data.resource.id)])
          }
          return seen.length
        },
        { interval: 5, timeout: 30_000 },
      )
      .toBe(120)
    await Promise.all(written)
    expect(new Set(seen).size).toBe(120)
    for (const numbers of byWriter.values())
      expect(numbers).toEqual(Array.from({ length: 15 }, (_, n) => n))
  })

  it("are kept from addresses outside of the tenant's networks", async () => {
    const token = await tokenOf(ofTenant())
    await testApp.database.db
      .insertInto('security_policies')
      .values({
        tenant_id: tenant.id,
        enforced: true,
        mfa_mode: 'off',
        allowed_countries: [],
        ip_allowlist: ['203.0.113.0/24'],
      } as never)
      .execute()
    const rejected = await testApp.request('GET', '/events', { token })
    expect(rejected).toMatchObject({ status: 403, body: { code: 'network_not_allowed' } })
    await testApp.database.db
      .updateTable('security_policies')
      .set({ ip_allowlist: [] } as never)
      .execute()
    expect((await testApp.request('GET', '/events', { token })).status).toBe(200)
  })

  it.each(['1', '1-1', 'x-1-1', '1-1-1-1', `1-${'9'.repeat(19)}-1`, `${'9'.repeat(20)}-1-1`])(
    'are not read behind the cursor %s',
    async (after) => {
      const { status, body } = await testApp.request('GET', `/events?after=${after}`, {
        token: operator,
      })
      expect([status, body.issues?.[0].path]).toEqual([400, 'after'])
    },
  )
})

describe('records of events', () => {
  const memberOf = (slug: string) =>
    testApp.database.db
      .selectFrom('memberships as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select('m.user_id as id')
      .where('t.slug', '=', slug)
      .executeTakeFirstOrThrow()
  async function recordsOf(token: string, entries: Partial<NewAuditEvent>[]) {
    const after = await end(token)
    for (const fields of entries) await write(fields)
    const { body } = await testApp.request('GET', `/events?include=record&after=${after}`, {
      token,
    })
    expect(body.items).toHaveLength(entries.length)
    return body.items.map(({ data }: EventView) => data.record)
  }

  it('are what a tenant reads of its own, and null for what is gone or has no id', async () => {
    const { id } = await memberOf(tenant.slug)
    const member = { action: 'member.updated', resourceType: 'member' } as const
    const records = await recordsOf(await tokenOf(ofTenant()), [
      { ...member, resourceId: id },
      { ...member, resourceId: crypto.randomUUID() },
      { ...member, resourceId: 'no id' },
      { ...member, resourceId: null },
      { action: 'alias.added', resourceType: 'alias', resourceId: id },
    ])
    const { body } = await testApp.request('GET', `/tenants/${tenant.slug}/users/${id}`, {
      token: await tokenOf(ofTenant()),
    })
    expect(body.id).toBe(id)
    expect(records).toEqual([body, null, null, null, null])
  })

  it('are left out unless they are asked for, and for a token without their scope', async () => {
    const { id } = await memberOf(tenant.slug)
    const about = { action: 'member.updated', resourceType: 'member', resourceId: id } as const
    const token = await tokenOf(ofTenant(), { scopes: ['events:read', 'mail:read'] })
    expect(await recordsOf(token, [about])).toEqual([null])
    const { body } = await testApp.request('GET', '/events?limit=1', { token })
    expect(body.items[0].data).not.toHaveProperty('record')
  })

  it('of other tenants and of people across tenants are no record of a tenant', async () => {
    const { slug } = await testApp.database.db
      .selectFrom('tenants')
      .select('slug')
      .where('id', '<>', tenant.id)
      .executeTakeFirstOrThrow()
    const { id: foreign } = await memberOf(slug)
    const { id: own } = await memberOf(tenant.slug)
    const entries: Partial<NewAuditEvent>[] = [
      { action: 'member.updated', resourceType: 'member', resourceId: foreign },
      { action: 'user.updated', resourceType: 'user', resourceId: own },
    ]
    expect(await recordsOf(await tokenOf(ofTenant()), entries)).toEqual([null, null])
    const partner = await tokenOf({ kind: 'partner', partnerId: tenant.partnerId })
    const [customer] = await recordsOf(partner, [
      { action: 'tenant.updated', resourceType: 'tenant', resourceId: tenant.id },
    ])
    expect(customer).toMatchObject({ id: tenant.id, role: null, grant: null })
  })

  it('come in a stream too', async () => {
    const token = await tokenOf(ofTenant())
    const after = await end(token)
    await write({ action: 'tenant.updated', resourceType: 'tenant', resourceId: tenant.id })
    const { body } = await testApp.request('GET', `/events/stream?include=record&after=${after}`, {
      token,
    })
    expect(JSON.parse(body).data.record).toMatchObject({ id: tenant.id, slug: tenant.slug })
  })

  it('larger than 64 kB are left out', async () => {
    const token = await tokenOf(ofTenant())
    const { id } = await testApp.database.db
      .insertInto('mail_lists')
      .values({ tenant_id: tenant.id, address: 'large@customer.test', name: 'Large' } as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    const about = { action: 'list.updated', resourceType: 'list', resourceId: id } as const
    const addRecipients = (count: number) =>
      testApp.database.db
        .insertInto('mail_list_recipients')
        .values(
          Array.from({ length: count }, (_, n) => ({
            tenant_id: tenant.id,
            list_id: id,
            address: `recipient-${count}-${n}@a-domain-with-a-long-name.test`,
          })) as never,
        )
        .execute()
    await addRecipients(2)
    expect(await recordsOf(token, [about])).toEqual([expect.objectContaining({ id })])
    await addRecipients(1_300)
    expect(await recordsOf(token, [about])).toEqual([null])
  })
})

describe('the stream of events', () => {
  it('has one event per line and ends with the last one', async () => {
    const token = await tokenOf(ofTenant())
    const after = await end(token)
    await write({ resourceName: 'one' })
    await write({ resourceName: 'two' })
    await readUntil(token, after, 'two')
    const { headers, body } = await testApp.request('GET', `/events/stream?after=${after}`, {
      token,
    })
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const lines = String(body).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).data.resource.name)).toEqual(['one', 'two'])
  })

  it('sends events as they come, and ends once its token is revoked', async () => {
    const { id, token } = await insertServiceToken(testApp, ofTenant())
    const after = await end(token)
    const response = await testApp.app.fetch(
      new Request(`http://api.test/events/stream?follow=true&after=${after}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
      {},
    )
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect(await reader?.read()).toEqual({ done: false, value: '\n' })
    await write({ resourceName: 'while it is open' })
    const { value } = (await reader?.read()) ?? {}
    expect(JSON.parse(value ?? '').data.resource.name).toBe('while it is open')
    await testApp.database.db
      .updateTable('service_tokens')
      .set({ revoked_at: new Date() })
      .where('id', '=', id)
      .execute()
    await expect.poll(async () => (await reader?.read())?.done, { timeout: 10_000 }).toBe(true)
  })
})

it('days that are too old are dropped, those to come are made', async () => {
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  const days = async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`,
    )
    return rows.map(({ name }) => name)
  }
  try {
    // The template of the test databases may be of the day before.
    await prepareEventDays(testApp.database.db, 30)
    const before = await days()
    expect(before.length).toBeGreaterThanOrEqual(9)
    await owner.query(
      `create table events_20200102 partition of events for values from ('2020-01-02') to ('2020-01-03')`,
    )
    await owner.query(`drop table ${before.filter((name) => name !== 'events_default').at(-1)}`)
    await prepareEventDays(testApp.database.db, 30)
    expect(await days()).toEqual(before)
  } finally {
    await owner.end()
  }
})
