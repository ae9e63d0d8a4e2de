import pg from 'pg'
import { loadWithoutIndexes, seed } from './bulk-load.ts'

/** What was loaded. */
export interface AuditRows {
  rows: number
  /** How many monthly partitions they are in. */
  partitions: number
  seconds: number
  /** The moment of the newest entry. */
  now: Date
  /** Of the log with its indexes. */
  bytes: number
  /** How many different values a text may be found in, and what they take with their indexes. */
  values: number
  valuesBytes: number
}

/** A term to search for, and the share of the rows that hold it. */
export interface SearchTerm {
  q: string
  share: string
}

/** One term of each frequency that a person may search for. */
export const searchTerms: readonly SearchTerm[] = [
  { q: 'riverside', share: '12.5 %' },
  { q: 'lighthouse', share: '1.6 %' },
  { q: 'heliotrope', share: '0.1 %' },
  { q: 'lighthouse riverside', share: '20 rows, made of common parts' },
  { q: 'zyqqux-vvkwj', share: 'none' },
]

const months = 24
export const tenants = 20_000
const users = 60_000
const partners = 50
const end = '2026-11-20T12:00:00Z'
const rowsPerStatement = 500_000

/** From 0 to 1, evenly, by row `n`; each `kind` draws its own numbers. */
const draw = (kind: number) =>
  `((hashint8extended(n, ${seed} + ${kind}) & 2147483647) / 2147483648::float8)`
/** A number from 1 to `most`, small ones far more often than large ones. */
const skewed = (most: number, kind: number) => `(1 + floor(${most} * ${draw(kind)} ^ 4)::int)`

const actions = [
  ...[
    'booking.confirmed',
    'booking.confirmed',
    'booking.confirmed',
    'member.updated',
    'member.updated',
    'booking.canceled',
    'tenant.updated',
  ],
  ...[
    'member.created',
    'list.updated',
    'domain.rechecked',
    'subscription.seats_changed',
    'webhook.replayed',
    'flag.updated',
    'user.updated',
  ],
  ...[
    'booking.rescheduled',
    'alias.added',
    'member.suspended',
    'host.updated',
    'event_type.updated',
    'branding.updated',
    'payout.approved',
  ],
]
const action = `(array['${actions.join(`','`)}'])[1 + floor(${actions.length} * ${draw(1)} ^ 2)::int]`

/**
 * Fills the audit log of a migrated database with two years of entries, more in later months, in
 * one partition a month as the service makes them; tenants and people after a power law. The same
 * for the same number. Indexes are built when the rows are there. Ends with VACUUM ANALYZE. A log
 * that has as many is taken as it is.
 */
export async function loadAuditRows(adminUrl: string, rows: number): Promise<AuditRows> {
  const started = performance.now()
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(`set work_mem = '256MB'`)
    await client.query('set synchronous_commit = on')
    await client.query('set session_replication_role = replica')
    await makePartitions(client)
    if ((await countEntries(client)) < rows) {
      await loadWithoutIndexes(client, ['audit_events'], async () => {
        for (let first = 1; first <= rows; first += rowsPerStatement)
          await client.query(insertion(first, Math.min(rows, first + rowsPerStatement - 1), rows))
      })
      await client.query('reset session_replication_role')
      await fillValues(client)
    }
    await client.query('vacuum analyze audit_events, audit_values')
    const { rows: found } = await client.query<Omit<AuditRows, 'seconds'>>(`
      select count(*)::float8 as rows, count(distinct tableoid)::int as partitions, max(at) as now,
        (select sum(pg_total_relation_size(inhrelid))::float8 from pg_inherits where inhparent = 'audit_events'::regclass) as bytes,
        (select count(*)::int from audit_values) as values, pg_total_relation_size('audit_values')::float8 as "valuesBytes"
      from audit_events`)
    const [loaded] = found
    if (!loaded || loaded.rows < rows)
      throw new Error(`${loaded?.rows} audit entries were loaded instead of ${rows}`)
    return { ...loaded, seconds: (performance.now() - started) / 1000 }
  } finally {
    await client.end()
  }
}

async function countEntries(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ entries: number }>(
    'select count(*)::float8 as entries from audit_events',
  )
  return rows[0]?.entries ?? 0
}

/**
 * As the job does it for entries that were there before their values were kept: no trigger saw
 * these.
 */
async function fillValues(client: pg.Client): Promise<void> {
  await client.query('truncate audit_values')
  for (let done = false; !done; ) {
    const { rows } = await client.query<{ done: boolean }>(
      'select audit_fill_values(100000) as done',
    )
    done = rows[0]?.done ?? true
  }
}

async function makePartitions(client: pg.Client): Promise<void> {
  for (let back = 0; back < months; back++) {
    await client.query(`do $$
      declare month date := (date_trunc('month', timestamptz '${end}', 'UTC') at time zone 'UTC')::date - interval '${back} months';
        name text := 'audit_events_' || to_char(month, 'YYYYMM');
      begin
        if to_regclass(name) is null then
          execute format('create table %I partition of audit_events for values from (%L) to (%L)', name,
            month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
        end if;
      end $$`)
  }
}

function insertion(first: number, last: number, rows: number): string {
  const word = (modulus: number, kind: number, term: string) =>
    `case when hashint8extended(n, ${seed} + ${kind}) % ${modulus} = 0 then ' ${term}' else '' end`
  const twenty = Math.max(1, Math.floor(rows / 20))
  return `
    insert into audit_events (at, actor_type, actor_id, actor_email, actor_ip, action, outcome, resource_type, resource_id, resource_name,
      tenant_slug, partner_slug, source, metadata)
    select timestamptz '${end}' - interval '${months - 1} months' * (1 - (n / ${rows}::float8) ^ 0.7),
      'user', 'user-' || person, 'person' || person || '@bench.test', '192.0.2.7'::inet, action,
      case when ${draw(5)} < 0.02 then 'failure' when ${draw(5)} < 0.03 then 'denied' else 'success' end,
      split_part(action, '.', 1), md5(n::text), case when n % ${twenty} = 7 then 'Lighthouse Riverside' else 'Member of Workplace ' || tenant || ' Ltd' end
        || ${word(8, 11, 'Riverside')} || ${word(64, 12, 'Lighthouse')} || ${word(1000, 13, 'Heliotrope')},
      case when ${draw(6)} < 0.95 then 'bench-tenant-' || tenant end,
      case when tenant % 3 = 0 then 'bench-partner-' || 1 + tenant % ${partners} end, 'portal',
      jsonb_build_object('requestId', md5('r' || n), 'changes', jsonb_build_object('name', jsonb_build_array('before ' || n % 100, 'after')))
    from (select n, ${skewed(tenants, 2)} as tenant, ${skewed(users, 3)} as person, ${action} as action
      from generate_series(${first}::bigint, ${last}::bigint) as n) as drawn`
}
