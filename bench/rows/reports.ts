import { isDeepStrictEqual } from 'node:util'
import { createApp } from '@atrium/api/app'
import { getHealthReport } from '@atrium/api/health-scores/get'
import { readConfig } from '@atrium/api/platform/config'
import { createLogger } from '@atrium/api/platform/log'
import { getChurnCohorts, getSignupCohorts } from '@atrium/api/reports/cohorts'
import { getGrowth } from '@atrium/api/reports/growth'
import { getMrr, getRevenueByPlan, getTopTenants } from '@atrium/api/reports/revenue'
import type { Services } from '@atrium/api/rpc/services'
import { saveHealthSummaries } from '@atrium/db/health-scores/health'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { platformScope } from '@atrium/db/reports/reports'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import { connectIntegrations } from '@atrium/integrations/connect'
import pg from 'pg'
import { runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { daysBetweenMoments, loadSubscriptions, type Subscriptions } from '../subscription-data.ts'
import { productEnvironment } from './product.ts'
import * as plain from './recompute.ts'
import type { RowResult } from './result.ts'
import { callContender } from './sequence.ts'

const partners = 50
const from = '2023-12'
const readsPerSlot = 400
const reportsPerSlot = 40
/** In September 2024 and later: moments at which some ten thousand tenants pay. */
const pastDays = 800
const dayMs = 86_400_000

interface Bench {
  services: Services
  database: Database
  client: pg.Client
  loaded: Subscriptions
  tenants: number
}

/**
 * P12: every report against the median read of a tenant by its key, after each was compared with
 * the plainest SQL over the history.
 */
export async function measureReports(
  session: Session,
  tenants: number,
  say: (text: string) => void,
): Promise<RowResult[]> {
  const name = 'atrium_reports'
  const accounts = await createMigratedDatabase(session.adminUrl, name)
  const adminUrl = session.adminUrl.replace(/postgres$/, name)
  const loaded = await loadSubscriptions(adminUrl, { tenants, partners })
  say(
    `${tenants} tenants, ${loaded.states} states of subscriptions, largest partner ${loaded.customers} customers; loaded in ` +
      `${loaded.loadSeconds.toFixed(1)} s, summed in ${loaded.sumSeconds.toFixed(1)} s`,
  )
  const database = openDatabase({
    url: accounts.appUrl,
    applicationName: 'bench',
    onError: () => {},
  })
  const config = readConfig({
    ...productEnvironment(session.issuer),
    DATABASE_URL: accounts.appUrl,
    LOG_LEVEL: 'silent',
  })
  const integrations = await connectIntegrations({
    identity: null,
    mail: null,
    files: null,
    smtp: null,
    payments: null,
  })
  const app = createApp({
    config,
    database,
    integrations,
    log: createLogger('silent'),
    clock: { now: () => loaded.now },
  })
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(`set work_mem = '256MB'`)
    const bench = { services: app.services, database, client, loaded, tenants }
    // What the health report compares with.
    await database.db
      .transaction()
      .execute((trx) => saveHealthSummaries(trx, new Date(loaded.now.getTime() - 30 * dayMs)))
    const wrong = await differences(bench, session)
    say(
      wrong.length === 0
        ? 'every report is what the history gives'
        : `not what the history gives: ${wrong.join(', ')}`,
    )
    return await timed(bench, session, wrong)
  } finally {
    await client.end()
    await app.stop()
    await database.close()
    await dropDatabase(session.adminUrl, name)
  }
}

const scopesOf = ({ loaded }: Bench) => [null, loaded.largestPartner]

/**
 * Names of the reports that are not exactly what a recomputation gives, now and at four past
 * moments.
 */
async function differences(bench: Bench, { random }: Session): Promise<string[]> {
  const { services, client, loaded } = bench
  const wrong = new Set<string>()
  const check = (name: string, ours: unknown, theirs: unknown) => {
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(ours)), JSON.parse(JSON.stringify(theirs))))
      wrong.add(name)
  }
  const past = Array.from(
    { length: 4 },
    () => new Date(loaded.now.getTime() - Math.floor(random() * pastDays * dayMs)),
  )
  for (const partner of scopesOf(bench)) {
    const scope = partner ?? platformScope
    for (const at of [undefined, ...past]) {
      const asOf = at && { asOf: at.toISOString() }
      const until = at ?? new Date(loaded.now.getTime() + 1)
      check(
        'mrr',
        (await getMrr(services, scope, { ...asOf })).currencies.map(sorted),
        (await plain.recomputeMrr(client, until, partner)).map(sorted),
      )
      check(
        'plans',
        (await getRevenueByPlan(services, scope, { ...asOf })).rows.map(sorted),
        (await plain.recomputePlans(client, until, partner)).map(sorted),
      )
      const top = await getTopTenants(services, scope, { limit: 10, ...asOf })
      const told = top.rows.map(({ currency, rank, slug, arrMinor }) => ({
        currency,
        rank,
        slug,
        arrMinor,
      }))
      check('top', told, await plain.recomputeTop(client, until, partner))
    }
    await plain.prepareMonths(client, '2023-11', loaded.now, partner)
    const growth = await plain.recomputeGrowth(client, from, loaded.now)
    const months = (await getGrowth(services, scope, { from })).months.map((month) =>
      picked(month, growth[0] ?? {}),
    )
    check('growth', months, growth)
    const churn = (await getChurnCohorts(services, scope, { from })).months.map(
      ({ month, tenants, averageTenureDays, money }) => ({
        month,
        tenants,
        averageTenureDays,
        lost: money.reduce((sum, one) => sum + one.lostArrMinor, 0),
      }),
    )
    check('churn', churn, await plain.recomputeChurn(client, from, loaded.now, partner))
    const health = (await getHealthReport(services, partner)).rows
      .filter(({ tenants }) => tenants > 0)
      .map(({ band, tenants, mrr }) => ({ band, tenants, mrr }))
      .toSorted((a, b) => (a.band < b.band ? -1 : 1))
    check('health', health.map(sorted), (await plain.recomputeHealth(client, partner)).map(sorted))
    const cohorts = plain.cellsOf((await getSignupCohorts(services, scope, { from })).cohorts)
    check('cohorts', cohorts.map(sorted), (await plain.recomputeCohorts(client, from)).map(sorted))
  }
  return [...wrong]
}

const sorted = (row: object) =>
  Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))
function picked(row: object, like: object): object {
  return Object.fromEntries(Object.keys(like).map((key) => [key, Reflect.get(row, key)]))
}

async function timed(
  bench: Bench,
  session: Session,
  wrong: readonly string[],
): Promise<RowResult[]> {
  const { services, loaded } = bench
  // On days whose health is kept, as far back as it is kept at all.
  const moment = () => {
    const day = new Date(
      loaded.now.getTime() -
        (1 + Math.floor(session.random() * (pastDays / daysBetweenMoments))) *
          daysBetweenMoments *
          dayMs,
    )
    return {
      asOf: new Date(
        day.setUTCHours(0, 0, 0, 0) + Math.floor(session.random() * dayMs),
      ).toISOString(),
    }
  }
  const reports = (scope: string) => ({
    mrr: () => getMrr(services, scope, {}),
    'mrr, past': () => getMrr(services, scope, moment()),
    plans: () => getRevenueByPlan(services, scope, {}),
    'plans, past': () => getRevenueByPlan(services, scope, moment()),
    top: () => getTopTenants(services, scope, { limit: 10 }),
    'top, past': () => getTopTenants(services, scope, { limit: 10, ...moment() }),
    growth: () => getGrowth(services, scope, {}),
    'growth, 36 months': () => getGrowth(services, scope, { from }),
    cohorts: () => getSignupCohorts(services, scope, {}),
    churn: () => getChurnCohorts(services, scope, {}),
    health: () => getHealthReport(services, scope === platformScope ? null : scope),
  })
  const all = [
    ...Object.entries(reports(platformScope)).map(([name, read]) => ({
      name,
      scope: 'platform',
      read,
    })),
    ...Object.entries(reports(loaded.largestPartner)).map(([name, read]) => ({
      name,
      scope: 'partner',
      read,
    })),
  ]
  const contenders = [
    callContender('key', readsPerSlot, () => readByKey(bench, session.random)),
    callContender('key again', readsPerSlot, () => readByKey(bench, session.random)),
    ...all.map(({ name, scope, read }) => callContender(`${scope} ${name}`, reportsPerSlot, read)),
  ]
  for (const { measure } of contenders) await measure()
  const { measured, failures } = await runRounds(contenders, session)
  const keys = ['key', 'key again'].map((name) =>
    (measured.get(name) ?? []).map((figures) => figures.p50Ms ?? Number.NaN),
  )
  return all.map(({ name, scope }, index): RowResult => {
    const key = `${scope} ${name}`
    const ours = (measured.get(key) ?? []).map((figures) => figures.p50Ms ?? Number.NaN)
    const fault =
      failures.get(key) ??
      (wrong.some((one) => name.startsWith(one)) ? 'it is not what the history gives' : undefined)
    return {
      row: `P12${String.fromCharCode(97 + index)}`,
      what: `${name} (${scope})`,
      peer: 'read of a tenant by key',
      unit: 'x',
      direction: 'at most',
      reach: 12,
      beyond: 5,
      values: fault
        ? []
        : ours.map(
            (ms, i) => ms / (((keys[0]?.[i] ?? Number.NaN) + (keys[1]?.[i] ?? Number.NaN)) / 2),
          ),
      nullTest: (keys[0] ?? []).map((ms, i) => ms / (keys[1]?.[i] ?? Number.NaN)),
      ...(fault ? { note: fault } : {}),
      figures: {
        key: { callsPerSecond: 1000 / median(keys[0] ?? []), p50Ms: median(keys[0] ?? []) },
        [key]: { callsPerSecond: 1000 / median(ours), p50Ms: median(ours) },
      },
    }
  })
}

const byKey = {
  name: 'bench.tenant-by-slug',
  text: 'select id, slug, name, status, plan, partner_id, seats, created_at from tenants where slug = $1',
}

async function readByKey({ database, tenants }: Bench, random: () => number): Promise<void> {
  const rows = await database.read(byKey, [`bench-tenant-${1 + Math.floor(random() * tenants)}`])
  if (rows.length !== 1) throw new Error('the tenant was not found')
}
