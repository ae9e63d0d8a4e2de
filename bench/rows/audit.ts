import { insertAuditEvent, type NewAuditEvent } from '@atrium/db/audit/audit'
import { type AuditFilter, searchAuditEvents } from '@atrium/db/audit/audit-search'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import { lockTenant, type TenantTrx, updateTenant } from '@atrium/db/tenants/tenants'
import pg from 'pg'
import { type AuditRows, loadAuditRows, searchTerms, tenants } from '../audit-data.ts'
import { loadPopulation, type Population, slugOf } from '../data.ts'
import { type Contender, type Figures, type Measured, runRounds } from '../measure/slots.ts'
import { median, percentile, shuffled } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import { measureAuditPage } from './audit-page.ts'
import type { Bars, RowResult } from './result.ts'
import { callContender } from './sequence.ts'

export interface AuditBench {
  database: Database
  appUrl: string
  population: Population
  loaded: AuditRows
}

const readsPerSlot = 400
const searchesPerSlot = 25
const mutationsPerSlot = 1_500
const atOnce = 8
const page = 100

/**
 * P6 to P9: the audit log with the number of entries asked for, in one partition a month; on a
 * server of its own it stays there.
 */
export async function measureAudit(
  session: Session,
  requested: ReadonlySet<string>,
  { rows, server = session.adminUrl }: { rows: number; server?: string | undefined },
  say: (text: string) => void,
): Promise<RowResult[]> {
  const name = 'atrium_audit'
  const accounts = await createMigratedDatabase(server, name)
  const adminUrl = server.replace(/postgres$/, name)
  const population = await loadPopulation(adminUrl, { users: tenants, tenants })
  const loaded = await loadAuditRows(adminUrl, rows)
  say(
    `${loaded.rows} audit entries in ${loaded.partitions} partitions (${mebibytes(loaded.bytes)} MiB with indexes), ${loaded.values} values of them ` +
      `(${mebibytes(loaded.valuesBytes)} MiB), loaded in ${loaded.seconds.toFixed(0)} s`,
  )
  const database = openDatabase({
    url: accounts.appUrl,
    applicationName: 'bench',
    onError: () => {},
  })
  const bench: AuditBench = { database, appUrl: accounts.appUrl, population, loaded }
  try {
    return [
      ...(requested.has('P6') ? [await measureAuditPage(session, bench)] : []),
      ...(requested.has('P7') || requested.has('P8')
        ? await measureSearches(session, requested, bench, adminUrl)
        : []),
      ...(requested.has('P9') ? [await measureMutations(session, bench)] : []),
    ]
  } finally {
    await database.close()
    if (server === session.adminUrl) await dropDatabase(server, name)
    else if (requested.has('P9')) await takeBack(adminUrl, loaded.now)
  }
}

/**
 * What P9 wrote would be the newest of a log that stays: searches of the next run would find other
 * entries than these.
 */
async function takeBack(adminUrl: string, loaded: Date): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query('delete from audit_events where at > $1', [loaded])
    await client.query('vacuum analyze audit_events')
  } finally {
    await client.end()
  }
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 ** 2)

async function measureSearches(
  session: Session,
  requested: ReadonlySet<string>,
  bench: AuditBench,
  adminUrl: string,
): Promise<RowResult[]> {
  const samples = await sampleEntries(adminUrl)
  const search = async (filter: AuditFilter) =>
    (await bench.database.search((db) => searchAuditEvents(db, filter, page + 1))).events
  const wrong = await wrongResponses(adminUrl, search, samples)
  const key = () => readByKey(bench, session.random)
  const combinations = allCombinations()
  const contenders: Contender[] = [
    callContender('key', readsPerSlot, key),
    callContender('key again', readsPerSlot, key),
    ...(requested.has('P7')
      ? [
          timesContender('filters', () =>
            shuffled(combinations, session.random).map(
              (asked) => () => search(filterOf(asked, pick(samples, session))),
            ),
          ),
        ]
      : []),
    ...(requested.has('P8')
      ? searchTerms.map(({ q, share }) =>
          timesContender(share, () =>
            Array.from({ length: searchesPerSlot }, () => () => search({ q })),
          ),
        )
      : []),
  ]
  for (const { measure } of contenders) await measure()
  const { measured, failures } = await runRounds(contenders, session)
  const row = (
    bars: Pick<RowResult, 'row' | 'what' | 'reach' | 'beyond'>,
    name: string,
    of: (figures: Figures) => number,
  ): RowResult =>
    againstKey(
      { ...bars, peer: 'median read by key', unit: 'x', direction: 'at most' },
      name,
      of,
      measured,
      failures.get(name) ?? wrong.get(name),
    )
  const entries = `${bench.loaded.rows / 1e6} M entries`
  return [
    ...(requested.has('P7')
      ? [
          row(
            {
              row: 'P7a',
              what: `${combinations.length} combinations of filters, ${entries}: median`,
              reach: 8,
              beyond: 4,
            },
            'filters',
            middle,
          ),
          row({ row: 'P7b', what: 'the same: p95', reach: 20, beyond: 10 }, 'filters', p95),
        ]
      : []),
    ...(requested.has('P8')
      ? searchTerms.map(({ share }, n) =>
          row(
            {
              row: `P8${String.fromCharCode(97 + n)}`,
              what: `text in ${share}, ${entries}: p95`,
              reach: 60,
              beyond: 30,
            },
            share,
            p95,
          ),
        )
      : []),
  ]
}

const middle = (figures: Figures) => figures.p50Ms ?? Number.NaN
const p95 = (figures: Figures) => figures.p95Ms ?? Number.NaN

function againstKey(
  bars: Bars,
  name: string,
  of: (figures: Figures) => number,
  measured: Measured,
  fault: string | undefined,
): RowResult {
  const [first, second] = ['key', 'key again'].map((key) =>
    (measured.get(key) ?? []).map(middle),
  ) as [number[], number[]]
  const ours = measured.get(name) ?? []
  const figure = (ms: number) => ({ callsPerSecond: 1000 / ms, p50Ms: ms })
  return {
    ...bars,
    values: fault
      ? []
      : ours.map(
          (figures, i) =>
            of(figures) / (((first[i] ?? Number.NaN) + (second[i] ?? Number.NaN)) / 2),
        ),
    nullTest: first.map((ms, i) => ms / (second[i] ?? Number.NaN)),
    ...(fault ? { note: fault } : {}),
    figures: { 'read by key': figure(median(first)), [name]: figure(median(ours.map(of))) },
  }
}

/** Calls one after the other; the median and the 95th percentile of their times. */
function timesContender(name: string, calls: () => (() => Promise<unknown>)[]): Contender {
  return {
    name,
    async measure() {
      const times: number[] = []
      for (const call of calls()) {
        const began = performance.now()
        await call()
        times.push(performance.now() - began)
      }
      return {
        callsPerSecond: 1000 / median(times),
        p50Ms: median(times),
        p95Ms: percentile(times, 0.95),
      }
    },
  }
}

/** An entry that is there, so that every combination of its values finds something. */
interface Sample {
  at: Date
  id: string
  action: string
  outcome: AuditFilter['outcome']
  tenant: string | null
  partner: string | null
  actor: string
}

async function sampleEntries(adminUrl: string): Promise<Sample[]> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<Sample>(`
      select at, id, action, outcome, tenant_slug as tenant, partner_slug as partner, actor_email as actor
      from audit_events tablesample system (1) repeatable (7) where partner_slug is not null and tenant_slug is not null
      order by hashtextextended(id::text, 7) limit 500`)
    if (rows.length < 500) throw new Error(`only ${rows.length} entries to ask for`)
    return rows
  } finally {
    await client.end()
  }
}

const pick = (samples: readonly Sample[], { random }: Session) =>
  samples[Math.floor(random() * samples.length)] as Sample

interface Combination {
  fields: readonly (keyof typeof asking)[]
  action: 'none' | 'exact' | 'prefix'
}
const dayMs = 86_400_000
const asking = {
  since: ({ at }: Sample) => ({ since: new Date(at.getTime() - 30 * dayMs).toISOString() }),
  until: ({ at }: Sample) => ({ until: new Date(at.getTime() + dayMs).toISOString() }),
  before: ({ at }: Sample) => ({
    before: `${new Date(at.getTime() + 3_600_000).toISOString()}_00000000-0000-0000-0000-000000000000`,
  }),
  tenant: ({ tenant }: Sample) => ({ tenantSlug: tenant ?? undefined }),
  partner: ({ partner }: Sample) => ({ partnerSlug: partner ?? undefined }),
  actor: ({ actor }: Sample) => ({ actorEmail: actor }),
  outcome: ({ outcome }: Sample) => ({ outcome }),
} as const

/** Each filter asked or not, the action also by its first part. */
function allCombinations(): Combination[] {
  const names = Object.keys(asking) as (keyof typeof asking)[]
  return (['none', 'exact', 'prefix'] as const).flatMap((action) =>
    Array.from({ length: 2 ** names.length }, (_, bits) => ({
      action,
      fields: names.filter((_name, n) => bits & (1 << n)),
    })),
  )
}

function filterOf({ fields, action }: Combination, sample: Sample): AuditFilter {
  const asked: AuditFilter = Object.assign({}, ...fields.map((field) => asking[field](sample)))
  if (action === 'exact') asked.action = sample.action
  if (action === 'prefix') asked.action = `${sample.action.split('.')[0]}.*`
  return asked
}

/** What is not as the plainest statement gives it, by the name of what is measured. */
async function wrongResponses(
  adminUrl: string,
  search: (filter: AuditFilter) => Promise<readonly { id: string; action: string }[]>,
  samples: readonly Sample[],
): Promise<Map<string, string>> {
  const wrong = new Map<string, string>()
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    for (const sample of samples.slice(0, 20)) {
      const found = await search({
        tenantSlug: sample.tenant ?? undefined,
        actorEmail: sample.actor,
        action: sample.action,
      })
      const { rows } = await client.query(
        'select id from audit_events where tenant_slug = $1 and lower(actor_email) = $2 and action = $3 order by at desc, id desc limit $4',
        [sample.tenant, sample.actor, sample.action, page + 1],
      )
      if (
        rows.length === 0 ||
        rows.map((row) => row.id).join() !== found.map((row) => row.id).join()
      )
        wrong.set('filters', 'an answer is not what the log holds')
    }
    for (const { q, share } of searchTerms) {
      const pattern = `%${q}%`
      const { rows } = await client.query(
        `select id from audit_events where action ilike $1 or resource_name ilike $1 or actor_email ilike $1 or tenant_slug ilike $1
          order by at desc, id desc limit $2`,
        [pattern, page + 1],
      )
      if (rows.map((row) => row.id).join() !== (await search({ q })).map((row) => row.id).join())
        wrong.set(share, 'the answer is not what the log holds')
    }
  } finally {
    await client.end()
  }
  return wrong
}

const byKey = {
  name: 'bench.tenant-by-slug',
  text: 'select id, slug, name, status, plan, partner_id, seats, created_at from tenants where slug = $1',
}

async function readByKey({ database }: AuditBench, random: () => number): Promise<void> {
  const rows = await database.read(byKey, [slugOf(1 + Math.floor(random() * tenants))])
  if (rows.length !== 1) throw new Error('the tenant was not found')
}

/**
 * P9: the change of a tenant as the service makes it, with the entry that it leaves, against the
 * same without.
 */
async function measureMutations(session: Session, { database }: AuditBench): Promise<RowResult> {
  let serial = 0
  const change = async () => {
    const n = 1 + Math.floor(session.random() * tenants)
    await database.db.transaction().execute(async (trx) => {
      const tenant = await lockTenant(trx as TenantTrx, slugOf(n))
      if (!tenant) throw new Error('the tenant was not found')
      await updateTenant(trx, tenant.id, { industry: `Trade ${++serial}` })
    })
    return n
  }
  const audited = async () => insertAuditEvent(database.db, entryOf(await change(), serial))
  const { measured, failures } = await runRounds(
    [
      rateContender('alone', change),
      rateContender('alone again', change),
      rateContender('audited', audited),
    ],
    session,
  )
  const rate = (name: string) => (measured.get(name) ?? []).map((figures) => figures.callsPerSecond)
  const [first, second, ours] = [rate('alone'), rate('alone again'), rate('audited')]
  const failure = [...failures].map(([name, reason]) => `${name}: ${reason}`).join('; ')
  return {
    row: 'P9',
    what: 'change of a tenant with its audit entry, per second',
    peer: 'the change alone',
    unit: 'x',
    direction: 'at least',
    reach: 0.5,
    beyond: 0.65,
    values: failure
      ? []
      : ours.map(
          (value, i) => (2 * value) / ((first[i] ?? Number.NaN) + (second[i] ?? Number.NaN)),
        ),
    nullTest: first.map((value, i) => value / (second[i] ?? Number.NaN)),
    note: failure || `${atOnce} at once; the entry is written when the change is committed`,
    figures: {
      'the change alone': { callsPerSecond: median(first) },
      audited: { callsPerSecond: median(ours) },
    },
  }
}

function rateContender(name: string, call: () => Promise<unknown>): Contender {
  return {
    name,
    async measure() {
      let left = mutationsPerSlot
      const began = performance.now()
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (left-- > 0) await call()
        }),
      )
      return { callsPerSecond: (mutationsPerSlot * 1000) / (performance.now() - began) }
    },
  }
}

function entryOf(tenant: number, serial: number): NewAuditEvent {
  return {
    at: new Date(),
    actorType: 'user',
    actorId: `bench-user-${tenant}`,
    actorEmail: `user${tenant}@bench.test`,
    actorIp: '192.0.2.7',
    action: 'tenant.updated',
    outcome: 'success',
    resourceType: 'tenant',
    resourceId: String(tenant),
    resourceName: `Workplace ${tenant}`,
    tenantSlug: slugOf(tenant),
    partnerSlug: null,
    source: 'portal',
    metadata: { changes: { industry: ['Trade', `Trade ${serial}`] } },
  }
}
