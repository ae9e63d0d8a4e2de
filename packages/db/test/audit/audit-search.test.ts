import type { AuditEvent } from '@atrium/core/audit/audit'
import { changeQuery } from '@atrium/core/audit/audit-changes'
import { copyDatabase } from '@atrium/testing/postgres/database'
import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditCursor } from '../../src/audit/audit.ts'
import { type AuditFilter, searchAuditEvents } from '../../src/audit/audit-search.ts'
import { openDatabase } from '../../src/platform/connect.ts'
import { buildOnlineIndexes } from '../../src/schema/online-indexes.ts'

let database: TestDatabase

const actions = [
  'tenant.created',
  'tenant.updated',
  'tenants.listed',
  'user.updated',
  'user.deleted',
  'booking.confirmed',
]
const words = ['Harbour', 'Österreich', '100 %', 'a_b', 'back\\slash', 'x']

beforeAll(async () => {
  database = await openTestDatabase()
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  // Over 40 months, in the partitions that are there and in the one for what has none; some entries
  // of one instant, some of one millisecond.
  await owner.query(
    `insert into audit_events (at, actor_type, actor_email, action, outcome, resource_type, resource_name, tenant_slug, partner_slug, source, metadata)
    select date_trunc('day', now()) - (n * n % 1200) * interval '1 day' - n % 3 * interval '1 microsecond', 'user', case when n % 7 > 0 then 'Person' || n % 5 || '@Example.test' end,
      ($1::text[])[case when n % 400 = 3 then 5 else 1 + n % 4 + n % 3 / 2 * 2 - n % 3 / 2 end], (array['success', 'success', 'failure', 'denied'])[1 + n % 4], 'thing',
      case when n % 97 = 5 then 'Rare ' else '' end || ($2::text[])[1 + n % 6], case when n % 5 > 0 then 'tenant-' || n % 3 end, case when n % 2 = 0 then 'partner-' || n % 4 end, 'api',
      case n % 5 when 0 then '{}'::jsonb when 1 then '{"changes": {"seatMode": ["fixed", "auto"], "name": ["Ö", "a_b"]}}' when 2 then '{"changes": {"mfaMode": ["off", "optional"]}}'
        else jsonb_build_object('reason', 'seats', 'changes', jsonb_build_object('seats', jsonb_build_array(n % 90, 80), 'perSeatAmount', jsonb_build_array(850, n))) end
    from generate_series(1, 1800) as n`,
    [actions, words],
  )
  await owner.query('analyze audit_events')
  await owner.end()
}, 60_000)
afterAll(() => database[Symbol.asyncDispose]())

/** The same by the plainest statement there is. */
async function plainly(filter: AuditFilter, limit: number): Promise<string[]> {
  const [before, id] = filter.before?.split('_') ?? []
  const pattern = filter.q && `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`
  const { words, amounts, fields } = changeQuery(filter.q ?? 'nothing')
  const prefix =
    filter.action &&
    (actions.includes(filter.action) ? undefined : filter.action.replace(/\*$/, ''))
  const { rows } = await sql<{ id: string }>`
    select id from audit_events e where (${filter.since ?? null}::timestamptz is null or at >= ${filter.since ?? null}::timestamptz)
      and (${filter.until ?? null}::timestamptz is null or at < ${filter.until ?? null}::timestamptz)
      and (${before ?? null}::timestamptz is null or case when ${id ?? null}::uuid is null then at < ${before ?? null}::timestamptz
        else (at, id) < (${before ?? null}::timestamptz, ${id ?? null}::uuid) end)
      and (${filter.tenantSlug ?? null}::text is null or tenant_slug = ${filter.tenantSlug ?? null})
      and (${filter.partnerSlug ?? null}::text is null or partner_slug = ${filter.partnerSlug ?? null})
      and (${filter.actorEmail ?? null}::text is null or lower(actor_email) = lower(${filter.actorEmail ?? null}))
      and (${filter.outcome ?? null}::text is null or outcome = ${filter.outcome ?? null})
      and (${filter.action ?? null}::text is null or case when ${prefix ?? null}::text is null then action = ${filter.action ?? null}
        else starts_with(action, ${prefix ?? null}) end)
      and (${pattern ?? null}::text is null or action ilike ${pattern ?? null} or resource_name ilike ${pattern ?? null}
        or actor_email ilike ${pattern ?? null} or tenant_slug ilike ${pattern ?? null}
        or metadata->>'changes' ilike all (${like(words)}) or metadata->>'changes' ilike any (${like(fields)})
        or (${amounts.length > 0} and metadata->>'changes' ilike all (${like(amounts)})))
    order by at desc, id desc limit ${limit}`.execute(database.db)
  return rows.map((row) => row.id)
}

const like = (texts: readonly string[]) =>
  texts.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`)

const maybe = <Value>(...values: Value[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  )
const instant = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc
      .nat({ max: 1300 })
      .map((days) => new Date(Date.now() - days * 86_400_000).toISOString()),
  },
)
const filters = fc.record({
  since: instant,
  until: instant,
  tenantSlug: maybe('tenant-0', 'tenant-1', 'nobody'),
  partnerSlug: maybe('partner-0', 'partner-2'),
  actorEmail: maybe('person1@example.test', 'PERSON4@EXAMPLE.TEST'),
  outcome: maybe('success' as const, 'failure' as const, 'denied' as const),
  action: maybe(
    'tenant.updated',
    'user.deleted',
    'user.d.',
    'user.d',
    'user.*',
    'tenant.',
    'tenant',
    'nothing.*',
  ),
  q: maybe(
    'rare',
    'RARE ö',
    'harbour',
    'österreich',
    '0 %',
    'a_b',
    '\\s',
    'x',
    'zz',
    'person1',
    'updated',
    'tenant-1',
    'r tenant',
    'no such text',
    'seats',
    'seats 77 → 80',
    'Seat Mode',
    'changed seat mode fixed → auto',
    'second factor',
    'price per seat',
    '€8.50',
    '→ 80',
    'ö a_b',
    'seats nothing',
  ),
})

it('finds what the plainest statement finds, whatever way it takes, page after page', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(1, 7, 60), async (asked, limit) => {
      const seen: AuditEvent[] = []
      let filter: AuditFilter = asked
      for (let page = 0; page < 3; page++) {
        const { events: rows, stoppedAt } = await searchAuditEvents(database.db, filter, limit)
        // So few entries are all looked at, whatever is asked.
        expect(stoppedAt).toBeNull()
        expect(rows.map(({ id }) => id)).toEqual(await plainly(filter, limit))
        seen.push(...rows)
        const last = rows.at(-1)
        if (!last) break
        filter = { ...asked, before: page === 0 ? auditCursor(last) : last.at }
      }
      found += seen.length
    }),
    { numRuns: 300 },
  )
  expect(found).toBeGreaterThan(1000)
}, 120_000)

it('has every way in the functions of the schema; none of them writes, or waits for helpers to start', async () => {
  const { rows } = await sql<{ name: string; volatile: string; settings: string[] }>`
    select proname as name, provolatile as volatile, proconfig as settings from pg_proc
    where proname ~ '^audit_(walk|find|end)_' order by 1`.execute(database.db)
  // Those with a text have one beside them that looks for it in changes too (migration 0065).
  expect([...new Set(rows.map((row) => row.name))]).toEqual([
    ...[
      'audit_end_action',
      'audit_end_actor',
      'audit_end_partner',
      'audit_end_refused',
      'audit_end_tenant',
      'audit_end_time',
    ],
    ...[
      'audit_find_changes',
      'audit_find_prefix',
      'audit_find_text',
      'audit_find_values',
      'audit_walk_action',
      'audit_walk_actor',
      'audit_walk_newest',
    ],
    ...['audit_walk_partner', 'audit_walk_refused', 'audit_walk_tenant', 'audit_walk_time'],
  ])
  expect(rows.every((row) => row.volatile === 's')).toBe(true)
  for (const { name, settings } of rows)
    expect(settings, name).toContain('max_parallel_workers_per_gather=0')
})

it('finds what earlier versions wrote by the index of each partition, which is built beside writers and taken up again where it was left', async () => {
  await using own = await copyDatabase()
  const owner = new pg.Client({ connectionString: own.ownerUrl })
  await owner.connect()
  try {
    const indexes = async () => {
      const { rows } =
        await owner.query(`select p.relname as partition from pg_inherits i join pg_class p on p.oid = i.inhrelid
        where i.inhparent = 'audit_events'::regclass and not exists (select from pg_index x join pg_inherits u on u.inhrelid = x.indexrelid
          where x.indrelid = p.oid and u.inhparent = to_regclass('audit_events_changes') and x.indisvalid)`)
      return rows.length
    }
    expect(await indexes()).toBe(0)
    await owner.query('drop index audit_events_changes')
    await owner.query(`insert into audit_events (at, actor_type, action, outcome, resource_type, source, metadata)
      values (now() - interval '300 days', 'user', 'tenant.updated', 'success', 'tenant', 'api', '{"changes": {"seats": [4, 80]}}')`)
    // As a build leaves it that was cut off after the first partition.
    await owner.query(`create index audit_events_changes on only audit_events using gin ((metadata ->> 'changes') gin_trgm_ops)
      where (metadata ->> 'changes') is not null`)
    expect(await indexes()).toBeGreaterThan(0)
    expect(await buildOnlineIndexes(own.ownerUrl)).toEqual(['audit_events_changes'])
    expect(await indexes()).toBe(0)
    const again = openDatabase({ url: own.appUrl, onError: () => {} })
    const { events } = await searchAuditEvents(again.db, { q: 'seats 4 → 80' }, 10)
    expect(events).toMatchObject([{ action: 'tenant.updated' }])
    await again.close()
  } finally {
    await owner.end()
  }
})
