import { randomUUID } from 'node:crypto'
import type { FailureKind, SystemFailures, SystemView } from '@atrium/core/system/system'
import { backlogKinds, failureKinds } from '@atrium/core/system/system'
import { insertMail } from '@atrium/db/outbox/outbox'
import type { Db } from '@atrium/db/platform/connect'
import { queues } from '@atrium/db/platform/jobs'
import { newestMigration } from '@atrium/db/schema/newest-migration'
import type { Tables } from '@atrium/db/schema/tables'
import { listFailures, readBacklogs } from '@atrium/db/system/system'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let token: string
const now = { ahead: 0 }
beforeAll(async () => {
  testApp = await startTestApp({
    started: true,
    clock: { now: () => new Date(Date.now() + now.ahead) },
  })
  token = await testApp.token('operator@atrium.test')
})
afterAll(() => testApp?.[Symbol.asyncDispose]())

async function view(): Promise<SystemView> {
  const response = await testApp.request('GET', '/system', { token })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  return response.body
}

async function failures(kind?: FailureKind): Promise<SystemFailures['items']> {
  const response = await testApp.request('GET', `/system/failures${kind ? `?kind=${kind}` : ''}`, {
    token,
  })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  return response.body.items
}

const backlogOf = async (kind: (typeof backlogKinds)[number]) =>
  (await view()).backlogs.find((backlog) => backlog.kind === kind)
const systemOf = async (name: string) =>
  (await view()).systems.find(({ system }) => system === name)

describe('the state of the system', () => {
  it('tells of the database, every queue and every backlog', async () => {
    const found = await view()
    expect(found.database).toMatchObject({
      migration: { found: newestMigration, needed: newestMigration },
      connections: { used: expect.any(Number), most: expect.any(Number) },
      replica: null,
    })
    expect(found.database.sizeBytes).toBeGreaterThan(1_000_000)
    expect(found.database.version).toMatch(/^\d+/)
    expect(found.jobEngine).toBe('ok')
    expect(found.processes).toHaveLength(1)
    expect(found.backlogs.map(({ kind }) => kind).sort()).toEqual([...backlogKinds].sort())
    const names = found.queues.map(({ name }) => name)
    for (const queue of Object.values(queues)) expect(names).toContain(queue)
  })

  it('counts the jobs that wait, those of later and since when', async () => {
    await sql`insert into jobs.job (name, data, start_after) values ('billing-reconcile', '{}', now() + interval '1 day')`.execute(
      testApp.database.db,
    )
    const queue = (await view()).queues.find(({ name }) => name === 'billing-reconcile')
    expect(queue).toMatchObject({ waiting: 0, later: 1, failed: 0 })
  })

  it('tells since when a system does not answer, and what was wrong after it does again', async () => {
    expect(await systemOf('files')).toMatchObject({ state: 'ok', message: null, lastError: null })
    testApp.sandbox.fault({ system: 'files', mode: 'error', status: 503 })
    now.ahead += 60_000
    await expect
      .poll(async () => (await systemOf('files'))?.state, { timeout: 15_000 })
      .toBe('error')
    const broken = await systemOf('files')
    expect(broken?.message).toMatch(/503/)
    expect(broken?.lastError?.message).toBe(broken?.message)
    testApp.sandbox.clearFaults()
    now.ahead += 60_000
    await expect.poll(async () => (await systemOf('files'))?.state, { timeout: 15_000 }).toBe('ok')
    const mended = await systemOf('files')
    expect(mended).toMatchObject({ message: null, lastError: { message: broken?.message } })
    expect(Date.parse(mended?.since ?? '')).toBeGreaterThan(Date.parse(broken?.since ?? ''))
  })

  it('counts failures of real calls by day, and keeps them', async () => {
    const today = (days: { failures: number; calls: number }[] | undefined) =>
      days?.at(-1) ?? { calls: 0, failures: 0 }
    const before = today((await systemOf('mail'))?.days)
    testApp.sandbox.fault({ system: 'mail', mode: 'error', status: 500 })
    await testApp.request('GET', '/tenants/acme/aliases', { token })
    testApp.sandbox.clearFaults()
    const mail = await systemOf('mail')
    expect(today(mail?.days).failures).toBeGreaterThan(before.failures)
    expect(mail?.lastError?.message).toMatch(
      /^The mail server reported an error\. \[.+: 500, server\]$/,
    )
    const { rows } = await sql<{ failures: string }>`
      select sum(failures) as failures from upstream_days where system = 'mail'`.execute(
      testApp.database.db,
    )
    expect(Number(rows[0]?.failures)).toBe(today(mail?.days).failures)
  })
})

describe('current failures', () => {
  it('is listed by kind, with where to fix it, until it is fixed', async () => {
    testApp.sandbox.fault({ system: 'files', mode: 'error', status: 500 })
    const made = await testApp.request('POST', '/tenants', {
      token: await testApp.token('newcomer@example.test'),
      body: { slug: 'broken', name: 'Broken' },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    await expect
      .poll(async () => (await failures('provisioning')).map(({ part }) => part), {
        timeout: 20_000,
      })
      .toEqual(['files'])
    const [failed] = await failures('provisioning')
    expect(failed).toMatchObject({ tenantSlug: 'broken', nextAt: expect.any(String) })
    expect(failed?.message).not.toBe('')
    expect(await backlogOf('provisioning')).toMatchObject({
      waiting: 1,
      failing: 1,
      oldestAt: expect.any(String),
    })
    testApp.sandbox.clearFaults()
    await expect
      .poll(
        async () => (await testApp.request('POST', '/tenants/broken/reconcile', { token })).status,
        { timeout: 20_000 },
      )
      .toBe(200)
    await expect.poll(async () => failures('provisioning'), { timeout: 10_000 }).toEqual([])
    expect(await backlogOf('provisioning')).toMatchObject({
      waiting: 0,
      failing: 0,
      oldestAt: null,
    })
  })

  it('holds mails, events and jobs, and no address of a person', async () => {
    const { db } = testApp.database
    const values = { 'member.name': 'Mira', 'member.email': 'mira@acme.test', 'link.signIn': '' }
    const mail = {
      tenantId: null,
      template: 'member.welcome',
      to: 'mira@acme.test',
      values,
      key: randomUUID(),
    } as const
    const id = await db
      .transaction()
      .execute((trx) => insertMail(trx, mail, { host: 'atrium.test', now: new Date() }))
    await db
      .updateTable('outbox')
      .set({
        state: 'gave_up',
        error: 'The mail server refused send (550, refused).',
        next_at: null,
      })
      .where('id', '=', id ?? '')
      .execute()
    await sql`insert into webhook_inbox (id, type, created, livemode, payload, state, note)
      values ('evt_parked', 'invoice.paid', now(), false, '{}', 'parked', 'The invoice could not be read.')`.execute(
      db,
    )
    await sql`insert into jobs.job (name, data, state, completed_on, output)
      values ('reports', '{}', 'failed', now(), '{"message":"first line\\nsecond line"}')`.execute(
      db,
    )
    const found = await failures()
    expect(found.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['mail', 'event', 'job']))
    expect(found.find(({ kind }) => kind === 'event')).toMatchObject({
      id: 'evt_parked',
      part: 'invoice.paid',
      nextAt: null,
    })
    expect(found.find(({ kind }) => kind === 'job')).toMatchObject({
      part: 'reports',
      message: 'first line',
    })
    expect(JSON.stringify(found)).not.toContain('mira')
    expect(found.map(({ at }) => at)).toEqual(
      found.map(({ at }) => at).sort((a, b) => b.localeCompare(a)),
    )
    expect(await backlogOf('mails')).toMatchObject({ gaveUp: 1 })
    expect(await backlogOf('events')).toMatchObject({ gaveUp: 1 })
  })

  it.each(failureKinds)('can be asked for by kind: %s', async (kind) => {
    for (const failure of await failures(kind)) expect(failure.kind).toBe(kind)
  })
})

it('is counted along indexes of what is unfinished, never by reading every member, mail or event', async () => {
  const seen: string[] = []
  const { db } = testApp.database
  await db.connection().execute(async (connection) => {
    await sql`set enable_seqscan = off`.execute(connection)
    for (const query of [readBacklogs, (handle: Db) => listFailures(handle, { limit: 10 })]) {
      const compiled = await compiledBy(query)
      const { rows } = await connection.executeQuery<{ 'QUERY PLAN': string }>(
        CompiledQuery.raw(`explain ${compiled.sql}`, [...compiled.parameters]),
      )
      seen.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    }
    await sql`reset enable_seqscan`.execute(connection)
  })
  for (const plan of seen)
    for (const table of [
      'memberships',
      'provisioning_steps',
      'outbox',
      'webhook_inbox',
      'booking_hosts',
      'mail_lists',
    ])
      expect(plan).not.toContain(`Seq Scan on ${table} `)
  expect(seen.join('\n')).toContain('memberships_unfinished')
})

/** The statement that a function would run. */
async function compiledBy(query: (db: Db) => Promise<unknown>): Promise<CompiledQuery> {
  let found: CompiledQuery | undefined
  const kept = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createDriver: () =>
        new (class extends DummyDriver {
          override async acquireConnection() {
            return {
              executeQuery: async <Row>(compiled: CompiledQuery) => {
                found = compiled
                return { rows: [] as Row[] }
              },
              async *streamQuery() {},
            }
          }
        })(),
    },
  })
  await query(kept)
  if (!found) throw new Error('nothing was asked')
  return found
}
