import { createHmac, randomBytes } from 'node:crypto'
import { type App, createApp } from '@atrium/api/app'
import { readConfig } from '@atrium/api/platform/config'
import { createLogger } from '@atrium/api/platform/log'
import { insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import { connectIntegrations } from '@atrium/integrations/connect'
import { sql } from 'kysely'
import { type Contender, runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { productEnvironment } from './product.ts'
import type { RowResult } from './result.ts'
import { callContender } from './sequence.ts'

const flags = 200
const secret = 'whsec_bench'
const callsPerSlot = 300

/**
 * M5 and M6: what it costs to decide every flag for a tenant, and to take in an event of the
 * payment processor.
 */
export async function measureDecisions(
  session: Session,
  requested: ReadonlySet<string>,
): Promise<RowResult[]> {
  const name = 'atrium_decisions'
  const accounts = await createMigratedDatabase(session.adminUrl, name)
  const database = openDatabase({
    url: accounts.appUrl,
    applicationName: 'bench',
    onError: () => {},
  })
  const config = readConfig({
    ...productEnvironment(session.issuer),
    DATABASE_URL: accounts.appUrl,
    LOG_LEVEL: 'silent',
    STRIPE_SECRET_KEY: 'sk_test_bench',
    STRIPE_WEBHOOK_SECRET: secret,
  })
  const integrations = await connectIntegrations({
    identity: null,
    mail: null,
    files: null,
    smtp: null,
    payments: null,
  })
  const app = createApp({ config, database, integrations, log: createLogger('silent') })
  try {
    await app.services.jobs.startSending()
    return [
      ...(requested.has('M5') ? [await measureFlags(session, app, database)] : []),
      ...(requested.has('M6') ? [await measureIntake(session, app, database)] : []),
    ]
  } finally {
    await app.stop()
    await database.close()
    await dropDatabase(session.adminUrl, name)
  }
}

async function measureFlags(
  session: Session,
  { services }: App,
  database: Database,
): Promise<RowResult> {
  await sql`
    insert into flags (key, state, percentage, allow_tenants, deny_tenants, prerequisites, note)
    select 'flag_' || n, case n % 5 when 0 then 'on' when 1 then 'off' else 'rollout' end, n % 100,
      array['tenant-' || n], array['tenant-' || n + 1], case when n % 10 = 9 then jsonb_build_array(jsonb_build_object('key', 'flag_' || n - 1, 'value', true))
        else '[]' end, 'Made.'
    from generate_series(1, ${flags}) as n`.execute(database.db)
  await sql`insert into partners (slug, name) select 'key-' || n, 'Key ' || n from generate_series(1, 1000) as n`.execute(
    database.db,
  )
  const byKey = {
    name: 'bench.partner-by-slug',
    text: 'select id, slug, name, status, created_at from partners where slug = $1',
  }
  const one = () => 1 + Math.floor(session.random() * 1000)
  const evaluate = async () => {
    const evaluation = await services.flags.evaluation({
      slug: `tenant-${one()}`,
      plan: 'business',
      partnerSlug: null,
    })
    let on = 0
    for (let n = 1; n <= flags; n++) if (evaluation(`flag_${n}`).value) on++
    if (on === 0) throw new Error('no flag is on')
  }
  const read = async () => {
    if ((await database.read(byKey, [`key-${one()}`])).length !== 1)
      throw new Error('the row was not found')
  }
  return compared(
    session,
    {
      row: 'M5',
      what: `${flags} flags evaluated`,
      peer: 'read of a row by key',
      reach: 1,
      beyond: 0.5,
    },
    read,
    evaluate,
  )
}

async function measureIntake(session: Session, app: App, database: Database): Promise<RowResult> {
  const event = (id: string) => ({
    id,
    object: 'event',
    api_version: '2026-10-28.dahlia',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    type: 'invoice.paid',
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    data: {
      object: {
        id: `in_${id}`,
        object: 'invoice',
        lines: { data: Array.from({ length: 4 }, (_, n) => ({ id: `il_${n}`, amount: 1000 })) },
      },
    },
  })
  const newId = () => `evt_${randomBytes(12).toString('hex')}`
  const intake = async () => {
    const body = JSON.stringify(event(newId()))
    const signedAt = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', secret).update(`${signedAt}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': `t=${signedAt},v1=${signature}`,
    }
    const response = await app.fetch(
      new Request('http://bench.test/webhooks/stripe', { method: 'POST', headers, body }),
      {},
    )
    if (response.status !== 200)
      throw new Error(`POST /webhooks/stripe answered ${response.status}`)
  }
  const insert = async () => {
    const { id, type, api_version, created, livemode, ...rest } = event(newId())
    const payload = JSON.stringify({ id, type, api_version, created, livemode, ...rest })
    const row = {
      id,
      type,
      objectId: `in_${id}`,
      apiVersion: api_version,
      created: new Date(created * 1000),
      livemode,
      payload,
    }
    if (!(await insertInboxEvent(database.db, { ...row, state: 'received' })))
      throw new Error('the event was there already')
  }
  return compared(
    session,
    {
      row: 'M6',
      what: 'signed event taken in',
      peer: 'bare insert of the same row',
      reach: 3,
      beyond: 2,
    },
    insert,
    intake,
  )
}

type Bars = Pick<RowResult, 'row' | 'what' | 'peer' | 'reach' | 'beyond'>

async function compared(
  session: Session,
  bars: Bars,
  peer: () => Promise<void>,
  ours: () => Promise<void>,
): Promise<RowResult> {
  const contenders: Contender[] = [
    callContender('peer', callsPerSlot, peer),
    callContender('peer again', callsPerSlot, peer),
    callContender('ours', callsPerSlot, ours),
  ]
  for (const { measure } of contenders) await measure()
  const { measured, failures } = await runRounds(contenders, session)
  const msOf = (name: string) =>
    (measured.get(name) ?? []).map((figures) => figures.p50Ms ?? Number.NaN)
  const [a, b, own] = [msOf('peer'), msOf('peer again'), msOf('ours')]
  const failure = [...failures.values()][0]
  const figure = (ms: readonly number[]) => ({
    callsPerSecond: 1000 / median(ms),
    p50Ms: median(ms),
  })
  return {
    ...bars,
    unit: 'x',
    direction: 'at most',
    values: failure
      ? []
      : own.map((ms, i) => ms / (((a[i] ?? Number.NaN) + (b[i] ?? Number.NaN)) / 2)),
    nullTest: a.map((ms, i) => ms / (b[i] ?? Number.NaN)),
    ...(failure ? { note: failure } : {}),
    figures: { [bars.peer]: figure(a), [bars.what]: figure(own) },
  }
}
