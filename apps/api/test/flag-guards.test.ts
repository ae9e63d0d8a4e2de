import { randomBytes } from 'node:crypto'
import { findFlag, lockFlags, notifyFlags, updateFlag } from '@atrium/db/flags/flags'
import { openDatabase } from '@atrium/db/platform/connect'
import { addRequestCounts } from '@atrium/db/platform/request-counts'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { readFlagGuards } from '../src/flags/guards.ts'
import { rollBackBrokenFlags } from '../src/flags/roll-back.ts'
import { toFlagSettings } from '../src/flags/view.ts'
import { createLogger } from '../src/platform/log.ts'

const begun = Date.now()
let minutes = 0
// Guards are evaluated ahead of time, so that a flag made just now has long been what it is;
// callers' tokens would not live that long.
const clock = { now: () => new Date(begun + minutes * 60_000) }
let testApp: TestApp
let operator: string
let tenants: Map<string, string>

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  operator = await testApp.token('operator@atrium.test')
  const rows = await testApp.database.db.selectFrom('tenants').select(['id', 'slug']).execute()
  tenants = new Map(rows.map((row) => [row.slug, row.id]))
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})
beforeEach(async () => {
  minutes += 2_000
  await sql`update flags set state = 'off' where state = 'rollout'`.execute(testApp.database.db)
})

/** Runs with the clock at the time of the database. */
async function atPresent<Result>(work: () => Promise<Result>): Promise<Result> {
  const kept = minutes
  minutes = 5
  try {
    return await work()
  } finally {
    minutes = kept
  }
}

const rule = { signal: 'server_errors', windowMinutes: 30, threshold: 5, minimum: 20 }
const idOf = (slug: string) => tenants.get(slug) ?? ''

/** A flag that is on for acme and off for everybody else, made long before anything happens. */
async function create(fields: Record<string, unknown> = {}): Promise<string> {
  const key = `flag_${randomBytes(6).toString('hex')}`
  const body = { key, state: 'rollout', allowTenants: ['acme'], guards: [rule], ...fields }
  const response = await testApp.request('POST', '/flags', { token: operator, body })
  expect(response.status, JSON.stringify(response.body)).toBe(201)
  return key
}
const read = async (key: string) =>
  (await testApp.request('GET', `/flags/${key}`, { token: operator })).body
const ahead = () => ({ ...testApp.app.services, clock })
const readGuards = (key: string) => readFlagGuards(ahead(), key)
const patch = (key: string, body: Record<string, unknown>) =>
  testApp.request('PATCH', `/flags/${key}`, { token: operator, body })
const evaluateGuards = () => rollBackBrokenFlags(ahead())

/** Requests of a tenant that were answered some minutes ago. */
async function requests(
  slug: string,
  count: number,
  failures: number,
  minutesAgo = 1,
): Promise<void> {
  const minute = new Date(Math.floor(clock.now().getTime() / 60_000) * 60_000 - minutesAgo * 60_000)
  await addRequestCounts(testApp.database.db, [
    { tenantId: idOf(slug), minute, requests: count, failures },
  ])
}

describe('guard rules of a flag', () => {
  it('are kept, changed with a version, and told by history and audit log', async () => {
    const key = await create()
    expect(await read(key)).toMatchObject({ guards: [rule], rollback: null })
    const guards = [{ ...rule, threshold: 2.5 }]
    expect((await patch(key, { version: 1, note: 'Stricter.', guards })).body).toMatchObject({
      guards,
      version: 2,
    })
    const { items } = (await testApp.request('GET', `/flags/${key}/history`, { token: operator }))
      .body
    expect(items[0]).toMatchObject({ before: { guards: [rule] }, after: { guards } })
    const audit = (
      await testApp.request('GET', `/audit?action=flag.updated&q=${key}`, { token: operator })
    ).body.items
    expect(audit[0].metadata.changes).toEqual({
      guards: [['server_errors>5%/30min, from 20'], ['server_errors>2.5%/30min, from 20']],
    })
  })

  it('are rejected at their field', async () => {
    const key = await create({ guards: [] })
    const guards = [rule, { ...rule, signal: 'mood', threshold: 100 }, { ...rule, minimum: 0 }]
    const { status, body } = await patch(key, { version: 1, note: 'Wrong.', guards })
    expect({ status, paths: body.issues.map((issue: { path: string }) => issue.path) }).toEqual({
      status: 400,
      paths: ['guards.1.signal', 'guards.1.threshold', 'guards.2.minimum'],
    })
  })

  it('that a change before they existed does not mention are read as none', async () => {
    const key = await create({ guards: [] })
    await sql`insert into flag_changes (flag_key, version, kind, note, before, after)
      select flag_key, 2, 'updated', 'Old.', after - '{guards,rollback}'::text[], after - '{guards,rollback}'::text[]
      from flag_changes where flag_key = ${key}`.execute(testApp.database.db)
    const { items } = (await testApp.request('GET', `/flags/${key}/history`, { token: operator }))
      .body
    expect(items[0]).toMatchObject({
      note: 'Old.',
      before: { guards: [], rollback: null },
      after: { guards: [] },
    })
  })
})

describe('what guards see', () => {
  it('is split by the flag, within the window', async () => {
    const key = await create()
    await requests('acme', 40, 1)
    await requests('acme', 1_000, 1_000, 32)
    await requests('globex', 300, 3, 29)
    expect(await readGuards(key)).toEqual({
      key,
      version: 1,
      at: clock.now().toISOString(),
      acting: true,
      guards: [
        {
          ...rule,
          since: new Date(
            Math.floor(clock.now().getTime() / 60_000) * 60_000 - 30 * 60_000,
          ).toISOString(),
          on: { events: 40, failures: 1, rate: 2.5, tenants: 1, failingTenants: 0 },
          off: { events: 300, failures: 3, rate: 1, tenants: 1, failingTenants: 0 },
          broken: false,
        },
      ],
    })
  })

  it('leaves out what happened before the flag reached the tenants that it reaches now', async () => {
    const key = await create()
    await atPresent(async () => {
      await requests('acme', 50, 50, 20)
      expect((await readGuards(key)).guards[0]).toMatchObject({
        on: { events: 0, rate: null },
        broken: false,
      })
    })
  })

  it('goes on from before a change of description or rules', async () => {
    const key = await create()
    await patch(key, {
      version: 1,
      note: 'Words.',
      description: 'Other words.',
      guards: [{ ...rule, threshold: 50 }],
    })
    const { rows } = await sql<{
      at: Date
    }>`select at from flag_changes where flag_key = ${key} order by version`.execute(
      testApp.database.db,
    )
    const [made, changed] = rows.map(({ at }) => at.getTime())
    await sql`update flags set created_at = created_at - interval '1 day' where key = ${key}`.execute(
      testApp.database.db,
    )
    const [guard] = (await atPresent(() => readGuards(key))).guards
    expect(guard?.since).toBe(new Date(Math.ceil((made ?? 0) / 60_000) * 60_000).toISOString())
    expect(changed).toBeGreaterThan(made ?? 0)
  })

  it('can be read in every state, where it does nothing', async () => {
    const key = await create({ state: 'on' })
    await requests('acme', 50, 50)
    expect(await readGuards(key)).toMatchObject({
      acting: false,
      guards: [{ on: { events: 50, rate: 100 }, off: { events: 0 } }],
    })
    await evaluateGuards()
    expect(await read(key)).toMatchObject({ state: 'on', version: 1 })
    const { body } = await testApp.request('GET', `/flags/${key}/guards`, { token: operator })
    expect(body).toMatchObject({
      key,
      version: 1,
      acting: false,
      guards: [{ ...rule, on: { events: 0, failures: 0, rate: null } }],
    })
    expect(
      await testApp.request('GET', '/flags/no_such_flag/guards', { token: operator }),
    ).toMatchObject({ status: 404 })
  })

  it('counts provisioning steps by their last run', async () => {
    const key = await create({ guards: [{ ...rule, signal: 'provisioning_errors', minimum: 3 }] })
    const at = new Date(clock.now().getTime() - 120_000)
    const end = (slug: string, error: string | null) =>
      sql`update provisioning_steps set state = ${error ? 'error' : 'ok'}, error = ${error}, finished_at = ${at}
        where tenant_id = ${idOf(slug)}`.execute(testApp.database.db)
    await end('acme', 'The mail server did not answer.')
    await end('globex', null)
    expect((await readGuards(key)).guards[0]).toMatchObject({
      on: { events: 3, failures: 3, rate: 100 },
      off: { events: 3, failures: 0, rate: 0 },
      broken: true,
    })
    await sql`update provisioning_steps set state = 'skipped', error = null where tenant_id = ${idOf('acme')}`.execute(
      testApp.database.db,
    )
    expect((await readGuards(key)).guards[0]).toMatchObject({ on: { events: 0 }, broken: false })
  })

  it('counts attempts to pay and events of the payment processor', async () => {
    const guards = ['payment_failures', 'webhook_failures'].map((signal) => ({
      ...rule,
      signal,
      minimum: 2,
    }))
    const key = await create({ guards })
    const at = new Date(clock.now().getTime() - 120_000)
    await customer('acme', 'cus_acme')
    await customer('globex', 'cus_globex')
    await invoice('acme', 'in_acme', 900)
    await invoice('acme', 'in_nothing', 0)
    await invoice('globex', 'in_globex', 900)
    await event({
      type: 'invoice.payment_failed',
      object: 'in_acme',
      customer: 'cus_acme',
      state: 'applied',
      at,
    })
    await event({
      type: 'invoice.payment_failed',
      object: 'in_acme',
      customer: 'cus_acme',
      state: 'parked',
      at,
    })
    await event({
      type: 'invoice.paid',
      object: 'in_acme',
      customer: 'cus_acme',
      state: 'applied',
      at,
    })
    await event({
      type: 'invoice.paid',
      object: 'in_nothing',
      customer: 'cus_acme',
      state: 'applied',
      at,
    })
    await event({
      type: 'invoice.paid',
      object: 'in_globex',
      customer: 'cus_globex',
      state: 'ignored_mode',
      at,
    })
    await event({
      type: 'invoice.paid',
      object: 'in_globex',
      customer: 'cus_globex',
      state: 'applied',
      at,
    })
    await event({
      type: 'invoice.payment_failed',
      object: 'in_acme',
      customer: 'cus_acme',
      state: 'applied',
      at: new Date(begun - 9e8),
    })
    await event({
      type: 'customer.updated',
      object: 'cus_globex',
      customer: null,
      state: 'failed',
      at,
    })
    await event({
      type: 'invoice.created',
      object: 'in_unknown',
      customer: 'cus_acme',
      state: 'failed',
      at,
    })
    const [payments, events] = (await readGuards(key)).guards
    expect(payments).toMatchObject({
      on: { events: 3, failures: 2 },
      off: { events: 1, failures: 0 },
      broken: true,
    })
    expect(events).toMatchObject({
      on: { events: 5, failures: 2 },
      off: { events: 2, failures: 1 },
      broken: false,
    })
  })

  async function customer(slug: string, id: string) {
    await sql`insert into payment_customers (tenant_id, customer_id) values (${idOf(slug)}, ${id})
      on conflict (tenant_id) do update set customer_id = excluded.customer_id`.execute(
      testApp.database.db,
    )
  }
  async function invoice(slug: string, id: string, due: number) {
    await sql`insert into invoices (tenant_id, stripe_invoice_id, status, currency, subtotal, total, total_excluding_tax,
      amount_due, amount_paid, amount_remaining, created_at)
      values (${idOf(slug)}, ${id}, 'open', 'eur', ${due}, ${due}, ${due}, ${due}, 0, ${due}, now())`.execute(
      testApp.database.db,
    )
  }
  async function event(given: {
    type: string
    object: string
    customer: string | null
    state: string
    at: Date
  }) {
    const payload = {
      data: {
        object: { id: given.object, ...(given.customer ? { customer: given.customer } : {}) },
      },
    }
    await sql`insert into webhook_inbox (id, type, object_id, created, livemode, payload, state, received_at)
      values (${`evt_${randomBytes(8).toString('hex')}`}, ${given.type}, ${given.object}, ${given.at}, false,
        ${JSON.stringify(payload)}::jsonb, ${given.state}, ${given.at})`.execute(
      testApp.database.db,
    )
  }
})

describe('a broken guard', () => {
  it('kills the flag, and tells history, audit log, metrics and the owner', async () => {
    const key = await create({
      owner: 'Mail@Atrium.test',
      guards: [{ ...rule, signal: 'webhook_failures' }, rule],
    })
    expect(
      await testApp.app.services.flags.isOn(key, {
        slug: 'acme',
        plan: 'business',
        partnerSlug: null,
      }),
    ).toBe(true)
    await requests('acme', 40, 4)
    await requests('globex', 300, 3)
    await evaluateGuards()
    const rollback = {
      signal: 'server_errors',
      windowMinutes: 30,
      threshold: 5,
      eventsOn: 40,
      rateOn: 10,
      eventsOff: 300,
      rateOff: 1,
      tenantsOn: 1,
      failingTenantsOn: 1,
    }
    const killed = {
      state: 'off',
      killedAt: clock.now().toISOString(),
      note: 'auto-rollback: server_errors',
    }
    expect(await read(key)).toMatchObject({
      ...killed,
      rollback,
      version: 2,
      updatedBy: null,
      allowTenants: ['acme'],
    })
    expect(
      await testApp.app.services.flags.isOn(key, {
        slug: 'acme',
        plan: 'business',
        partnerSlug: null,
      }),
    ).toBe(false)
    const { items } = (await testApp.request('GET', `/flags/${key}/history`, { token: operator }))
      .body
    expect(items[0]).toMatchObject({
      kind: 'killed',
      version: 2,
      actorId: null,
      actorEmail: null,
      note: 'auto-rollback: server_errors',
      before: { state: 'rollout', rollback: null },
      after: { state: 'off', rollback },
    })
    const audit = (
      await testApp.request('GET', `/audit?action=flag.killed&q=${key}`, { token: operator })
    ).body.items
    expect(audit).toMatchObject([
      {
        id: items[0].auditId,
        actorType: 'system',
        source: 'job',
        outcome: 'success',
        resourceId: key,
        metadata: {
          note: 'auto-rollback: server_errors',
          version: 2,
          trigger: 'guard',
          ...rollback,
          changes: { state: ['rollout', 'off'] },
        },
      },
    ])
    const mails =
      await sql`select template, recipient, tenant_id, "values" from outbox where key = ${`flag.rolled_back:${key}:2`}`.execute(
        testApp.database.db,
      )
    expect(mails.rows).toEqual([
      {
        template: 'flag.rolled_back',
        recipient: 'mail@atrium.test',
        tenant_id: null,
        values: {
          'flag.key': key,
          'flag.signal': 'Requests that failed on our side',
          'flag.minutes': 30,
          'flag.threshold': '5%',
          'flag.rateOn': '10%',
          'flag.rateOff': '1%',
          language: 'en',
        },
      },
    ])
    expect(await testApp.app.services.metrics.registry.metrics()).toContain(
      'flag_rollbacks_total{signal="server_errors"}',
    )
    expect(
      testApp.logLines.some(
        (line) => line.includes('flag turned off by a guard') && line.includes(key),
      ),
    ).toBe(true)
  })

  it('kills once, also when several processes look at the same time', async () => {
    const key = await create({ owner: 'Mail team' })
    await requests('acme', 40, 40)
    await Promise.all([evaluateGuards(), evaluateGuards(), evaluateGuards()])
    await evaluateGuards()
    const { items } = (await testApp.request('GET', `/flags/${key}/history`, { token: operator }))
      .body
    expect(items.map((change: { kind: string }) => change.kind)).toEqual(['killed', 'created'])
    const mails =
      await sql`select from outbox where key like ${`flag.rolled_back:${key}:%`}`.execute(
        testApp.database.db,
      )
    expect(mails.rows).toEqual([])
  })

  it('does nothing when one tenant of several fails, however often', async () => {
    const key = await create({ allowTenants: ['acme', 'globex'] })
    await requests('acme', 1_000, 1_000)
    await requests('globex', 20, 0)
    await evaluateGuards()
    expect((await read(key)).state).toBe('rollout')
    expect((await readGuards(key)).guards[0]).toMatchObject({
      on: { tenants: 2, failingTenants: 1 },
      broken: false,
    })
    await requests('globex', 20, 10)
    await evaluateGuards()
    expect((await read(key)).state).toBe('off')
  })

  it('does nothing below the minimum, or while others fail as often', async () => {
    const [few, same] = [
      await create({ guards: [{ ...rule, minimum: 41 }] }),
      await create({ guards: [{ ...rule, threshold: 1 }] }),
    ]
    await requests('acme', 40, 20)
    await requests('globex', 40, 20)
    await evaluateGuards()
    expect([(await read(few)).state, (await read(same)).state]).toEqual(['rollout', 'rollout'])
  })

  it('does not undo what an operator changes in the same moment', async () => {
    const key = await create()
    await requests('acme', 40, 40)
    const { db } = testApp.database
    let looking: Promise<void> | undefined
    await db.transaction().execute(async (trx) => {
      await lockFlags(trx)
      looking = evaluateGuards()
      for (;;) {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(
          trx,
        )
        if (rows.length > 0) break
        await new Promise((done) => setTimeout(done, 10))
      }
      const row = await findFlag(trx, key)
      if (!row) throw new Error('the flag is gone')
      await updateFlag(
        trx,
        key,
        { ...toFlagSettings(row), percentage: 50 },
        { note: 'Half.', updatedBy: 'operator@atrium.test' },
      )
      await notifyFlags(trx, key)
    })
    await looking
    expect(await read(key)).toMatchObject({
      state: 'rollout',
      percentage: 50,
      version: 2,
      note: 'Half.',
    })
    await evaluateGuards()
    expect(await read(key)).toMatchObject({ state: 'off', version: 3, percentage: 50 })
    // And an operator who read it before the guard acted is told.
    expect((await patch(key, { version: 2, note: 'More.', percentage: 60 })).body.code).toBe(
      'version_conflict',
    )
  })

  it('is left by a change of the state with a note, and its reason goes then', async () => {
    const key = await create()
    await requests('acme', 40, 40)
    await evaluateGuards()
    expect(
      (await patch(key, { version: 2, note: 'Words.', description: 'Still off.' })).body,
    ).toMatchObject({
      killedAt: expect.any(String),
      rollback: { signal: 'server_errors' },
    })
    const { body } = await patch(key, { version: 3, state: 'rollout', note: 'Mended.' })
    expect(body).toMatchObject({ state: 'rollout', killedAt: null, rollback: null })
    // What happened before it came back does not count against it.
    await atPresent(async () => {
      await requests('acme', 40, 40, 10)
      expect((await readGuards(key)).guards[0]).toMatchObject({ on: { events: 0 }, broken: false })
    })
    await patch(key, { state: 'off', note: 'kill-switch' })
    expect(await read(key)).toMatchObject({ killedAt: expect.any(String), rollback: null })
  })

  it('of one flag is acted on although another flag cannot be looked at', async () => {
    const [sound, odd] = [await create(), await create()]
    await requests('acme', 40, 40)
    await sql`update flags set guards = '[{"signal": "mood", "windowMinutes": 1, "threshold": 1, "minimum": 1}]' where key = ${odd}`.execute(
      testApp.database.db,
    )
    await expect(evaluateGuards()).rejects.toThrow()
    expect((await read(sound)).state).toBe('off')
    await sql`update flags set guards = '[]' where key = ${odd}`.execute(testApp.database.db)
  })
})

describe('the job engine', () => {
  it('looks at the guards every minute, and every process learns of what they turned off', async () => {
    await using started = await startTestApp({ provisioned: false })
    const { db } = started.database
    const other = openDatabase({ url: started.config.databaseUrl, onError: () => {} })
    const log = createLogger('error', { write: () => {} })
    const second = createApp({
      config: started.config,
      database: other,
      integrations: started.app.services.systems,
      log,
    })
    await sql`insert into flags (key, state, allow_tenants, guards, note, created_at)
      values ('old_flag', 'rollout', '{acme}', ${JSON.stringify([rule])}::jsonb, 'Made.', now() - interval '1 hour')`.execute(
      db,
    )
    await sql`insert into tenant_request_counts (tenant_id, minute, requests, failures)
      select id, date_trunc('minute', now() - interval '5 minutes'), 40, 40 from tenants where slug = 'acme'`.execute(
      db,
    )
    const acme = { slug: 'acme', plan: 'business', partnerSlug: null } as const
    await second.services.flags.start()
    try {
      expect(await second.services.flags.isOn('old_flag', acme)).toBe(true)
      await started.app.start()
      for (
        let tries = 0;
        tries < 100 && (await second.services.flags.isOn('old_flag', acme));
        tries++
      ) {
        await new Promise((done) => setTimeout(done, 50))
      }
      expect(await second.services.flags.isOn('old_flag', acme)).toBe(false)
      const { rows } = await sql`select cron from jobs.schedule where name = 'flag-guards'`.execute(
        db,
      )
      expect(rows).toEqual([{ cron: '* * * * *' }])
    } finally {
      await second.services.flags.stop()
      await other.close()
    }
  })
})
