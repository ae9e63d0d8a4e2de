import pg from 'pg'
import { loadWithoutIndexes, makeId, seed } from './bulk-load.ts'

export interface PopulationSize {
  users: number
  tenants: number
  /** Number of a tenant that all users are members of. */
  crowded?: number
}

/** What was loaded, and the people in it that the load signs in as. */
export interface Population extends PopulationSize {
  memberships: number
  /** Members of the largest tenant. */
  largestTenant: number
  bytes: number
  seconds: number
  /** Owners with their own tenant, spread over all tenants, the largest included. */
  owners: readonly { subject: string; slug: string }[]
  /** People with many tenants, each with ten of theirs. */
  consultants: readonly { subject: string; slugs: readonly string[] }[]
}

const sampleSize = 512
const tenantsPerConsultant = 10
const consultantEvery = 100

const tables = [
  'partners',
  'tenants',
  'tenant_health',
  'domains',
  'provisioning_steps',
  'users',
  'memberships',
]

export const subjectOf = (user: number): string => `bench-user-${user}`
export const slugOf = (tenant: number): string => `bench-tenant-${tenant}`

/** Distance between the owners that load signs in as; the same draw is written down for pgbench. */
export function sampleStep(size: PopulationSize): number {
  return Math.max(1, Math.floor(size.tenants / sampleSize))
}
export function sampleCount(size: PopulationSize): number {
  return Math.min(sampleSize, size.tenants)
}

/**
 * Fills a migrated database, where it has no such population, with one that is the same for the
 * same size, by insert … select on the server; what else is in it stays. Tenant sizes follow a
 * power law: most have a handful of members, the largest about 1 / tenants^(1/3) of all users. User
 * n owns tenant n; every hundredth user is a consultant with ten tenants more. Ends with VACUUM
 * ANALYZE.
 */
export async function loadPopulation(adminUrl: string, size: PopulationSize): Promise<Population> {
  if (size.users < size.tenants) throw new Error('there must be at least as many users as tenants')
  const started = performance.now()
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    // The rows are right by construction; checking each against its neighbours would take most of
    // the time.
    await client.query('set session_replication_role = replica')
    // VACUUM marks no page as visible to all while the commit that wrote it may not be on disk yet.
    await client.query('set synchronous_commit = on')
    await client.query(makeId)
    const { rows: there } = await client.query('select from tenants where slug = $1', [slugOf(1)])
    if (there.length === 0) {
      await loadWithoutIndexes(client, tables, async () => {
        for (const statement of statements(size)) await client.query(statement)
      })
    } else for (const statement of quieting) await client.query(statement)
    await client.query('set session_replication_role = origin')
    for (const table of tables) await client.query(`vacuum analyze ${table}`)
    const { rows } = await client.query<{ memberships: number; largest: number; bytes: number }>(`
      select (select count(*)::int from memberships) as memberships,
        (select max(n)::int from (select count(*) as n from memberships group by tenant_id) as sizes) as largest,
        pg_database_size(current_database())::float8 as bytes`)
    const found = rows[0]
    return {
      ...size,
      memberships: found?.memberships ?? 0,
      largestTenant: found?.largest ?? 0,
      bytes: found?.bytes ?? 0,
      seconds: (performance.now() - started) / 1000,
      owners: Array.from({ length: sampleCount(size) }, (_, i) => {
        const n = i * sampleStep(size) + 1
        return { subject: subjectOf(n), slug: slugOf(n) }
      }),
      consultants: consultants(size),
    }
  } finally {
    await client.end()
  }
}

/**
 * For a population that was kept: every tenant's health as if just computed, and every domain
 * looked at again within the day that begins in an hour, as they are loaded. To a service that
 * starts on it all of it would seem overdue, and it would make up for that in the middle of what is
 * measured.
 */
const quieting = [
  `update tenant_health set computed_at = now()`,
  `update domains set next_check_at = now() + interval '1 hour' + random() * interval '1 day' where next_check_at < now() + interval '1 hour'`,
]

function consultants(size: PopulationSize): Population['consultants'] {
  const count = Math.min(sampleSize, Math.floor(size.users / consultantEvery))
  return Array.from({ length: count }, (_, i) => {
    const user = (i + 1) * consultantEvery
    return {
      subject: subjectOf(user),
      slugs: Array.from({ length: tenantsPerConsultant }, (_, k) =>
        slugOf(consultantTenant(user, k, size.tenants)),
      ),
    }
  })
}

/** The k-th tenant of a consultant; the statement below computes the same. */
function consultantTenant(user: number, k: number, tenants: number): number {
  return ((user * 7 + k * 1009) % tenants) + 1
}

function statements({ users, tenants, crowded }: PopulationSize): string[] {
  /** From 0 to 1, evenly; each `kind` draws its own numbers. */
  const draw = (kind: number) =>
    `((hashint8extended(n, ${seed} + ${kind}) & 2147483647) / 2147483648::float8)`
  return [
    `insert into partners (id, slug, name)
      select pg_temp.bench_id('partner', n), 'bench-partner-' || n, 'Partner ' || n from generate_series(1, 50) as n`,
    `insert into users (id, idp_subject_id, email, name, first_name, last_name, created_at, updated_at)
      select pg_temp.bench_id('user', n), 'bench-user-' || n, 'user' || n || '@bench.test', 'Person ' || n, 'Person', n::text,
        timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
      from generate_series(1, ${users}) as n`,
    `insert into tenants (id, slug, name, status, plan, partner_id, seats, industry, brand_color, billing_company, billing_country,
        billing_email, identity_group_id, file_space_id, created_at, updated_at)
      select pg_temp.bench_id('tenant', n), 'bench-tenant-' || n, 'Workplace ' || n, 'active',
        (array['free', 'starter', 'business', 'enterprise'])[1 + floor(4 * ${draw(1)})::int],
        case when ${draw(2)} < 0.3 then pg_temp.bench_id('partner', 1 + n % 50) end,
        5 + n % 200, 'Trade', '#1f6f5c', 'Workplace ' || n || ' Ltd', 'DE', 'billing' || n || '@bench.test', 'group-' || n, 'space-' || n,
        timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
      from generate_series(1, ${tenants}) as n`,
    `insert into domains (id, tenant_id, name, is_primary, mail_domain_id, next_check_at)
      select pg_temp.bench_id('domain', n), pg_temp.bench_id('tenant', n), 'bench-tenant-' || n || '.bench.test', true, 'domain-' || n,
        now() + interval '1 hour' + ${draw(4)} * interval '1 day'
      from generate_series(1, ${tenants}) as n`,
    `insert into tenant_health (tenant_id, score, band, factors, gathered, computed_at)
      select pg_temp.bench_id('tenant', n), 80, 'healthy', '[]', '{"signals":[],"cap":null}', now() from generate_series(1, ${tenants}) as n`,
    `insert into provisioning_steps (tenant_id, step, state, attempt, started_at, finished_at)
      select pg_temp.bench_id('tenant', n), step, 'ok', 1, now(), now()
      from generate_series(1, ${tenants}) as n cross join unnest(array['identity', 'mail', 'files']) as step`,
    `insert into memberships (tenant_id, user_id, role)
      select pg_temp.bench_id('tenant', n), pg_temp.bench_id('user', n), 'owner' from generate_series(1, ${tenants}) as n`,
    `insert into memberships (tenant_id, user_id, role, mailbox_address)
      select pg_temp.bench_id('tenant', 1 + floor(${tenants} * ${draw(3)} ^ 3)::bigint), pg_temp.bench_id('user', n),
        case when n % 20 = 0 then 'admin' else 'member' end, 'user' || n || '@bench-tenant.bench.test'
      from generate_series(1, ${users}) as n on conflict do nothing`,
    `insert into memberships (tenant_id, user_id, role)
      select pg_temp.bench_id('tenant', (n * 7 + k * 1009) % ${tenants} + 1), pg_temp.bench_id('user', n), 'member'
      from generate_series(${consultantEvery}, ${users}, ${consultantEvery}) as n
      cross join generate_series(0, ${tenantsPerConsultant - 1}) as k on conflict do nothing`,
    ...(crowded === undefined
      ? []
      : [
          `insert into memberships (tenant_id, user_id, role)
            select pg_temp.bench_id('tenant', ${crowded}), pg_temp.bench_id('user', n), 'member' from generate_series(1, ${users}) as n
            on conflict do nothing`,
        ]),
  ]
}
