import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditCursor } from '../../src/audit/audit.ts'
import { type AuditFilter, searchAuditEvents } from '../../src/audit/audit-search.ts'
import { fillAuditValues, lookUpAuditValues } from '../../src/audit/audit-values.ts'

let database: TestDatabase
let owner: pg.Client

interface Row {
  at: string
  action: string
  name: string | null
  actor: string | null
  tenant: string | null
}

/** The newest entries hold nothing that is looked for, so that no search ends with them. */
const fillers = 1_100
const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()

beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(
    `insert into audit_events (at, actor_type, action, outcome, resource_type, resource_name, source)
     select now() - n * interval '1 second', 'system', 'member.updated', 'success', 'member', '. . .', 'job' from generate_series(1, $1) n`,
    [fillers],
  )
}, 60_000)
afterAll(async () => {
  await owner.end()
  await database[Symbol.asyncDispose]()
})

async function write(rows: readonly Row[], client: pg.Client = owner): Promise<void> {
  await client.query(
    `insert into audit_events (at, actor_type, action, outcome, resource_type, resource_name, actor_email, tenant_slug, source)
     select r.at, 'user', r.action, 'success', 'thing', r.name, r.actor, r.tenant, 'api'
     from json_to_recordset($1) as r (at timestamptz, action text, name text, actor text, tenant text)`,
    [JSON.stringify(rows)],
  )
}

const entry = (row: Partial<Row>): Row => ({
  at: days(200),
  action: 'thing.done',
  name: null,
  actor: null,
  tenant: null,
  ...row,
})

/** The same by four ILIKE, which know nothing of values and trigrams. */
async function plainly(q: string, limit: number): Promise<string[]> {
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const { rows } = await sql<{ id: string }>`
    select id from audit_events where action ilike ${pattern} or resource_name ilike ${pattern} or actor_email ilike ${pattern}
      or tenant_slug ilike ${pattern} order by at desc, id desc limit ${limit}`.execute(database.db)
  return rows.map((row) => row.id)
}

async function found(filter: AuditFilter, limit = 50): Promise<string[]> {
  return (await searchAuditEvents(database.db, filter, limit)).events.map(({ id }) => id)
}

const lookUp = (q: string) => lookUpAuditValues(database.db, `%${q}%`, 200)

/** What is kept, and what should be. */
async function keptAndPresent(): Promise<[string[], string[]]> {
  const { rows } = await owner.query<{ kept: string[]; present: string[] }>(`
    select (select array_agg(distinct field || ':' || coalesce(spelled, value)) from audit_values) as kept,
      (select array_agg(distinct v) from audit_events e cross join lateral (values
        ('action:' || e.action), ('name:' || lower(e.resource_name)), ('actor:' || lower(e.actor_email)), ('tenant:' || e.tenant_slug)) t (v)
        where v is not null) as present`)
  return [rows[0]?.kept.sort() ?? [], rows[0]?.present.sort() ?? []]
}

const pieces = [
  'Harbour',
  'ÖSTERREICH',
  'straße',
  'İstanbul',
  '100 %',
  'a_b',
  'back\\slash',
  `"quoted"`,
  `o'clock`,
  '🎉',
  'ﬁne',
  'ΣΊΣΥΦΟΣ',
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 4 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(' ').replaceAll('\0', '').toWellFormed())
const rowsOf = fc.array(
  fc.record({
    // Some share an instant, and some lie where no month has a partition of its own.
    at: fc
      .constantFrom(1, 20, 45, 45.5, 400, 1_000)
      .map((age) => new Date(Date.UTC(2026, 0, 1) - age * 86_400_000).toISOString()),
    action: fc.constantFrom('thing.done', 'thing.Undone', 'other.thing'),
    name: fc.option(text, { nil: null }),
    actor: fc.option(
      text.map((value) => `${value}@Example.test`),
      { nil: null },
    ),
    tenant: fc.option(fc.constantFrom('acme', 'ACME-North', 'straße-9'), { nil: null }),
  }),
  { minLength: 1, maxLength: 12 },
)

it('finds what four ILIKE find in any texts, with the values and without', async () => {
  let matches = 0
  let byValues = 0
  await fc.assert(
    fc.asyncProperty(
      rowsOf,
      fc.nat(),
      fc.nat(),
      fc.nat({ max: 12 }),
      fc.constantFrom(0, 1, 2),
      async (rows, which, from, length, casing) => {
        await write(rows)
        const texts = rows
          .flatMap(({ action, name, actor, tenant }) => [action, name, actor, tenant])
          .filter((one) => one !== null)
        const whole = texts[which % texts.length] ?? ''
        const part = whole.slice(from % Math.max(1, whole.length)).slice(0, 1 + length)
        const q = [part, part.toUpperCase(), part.toLowerCase()][casing]?.toWellFormed() ?? part
        const expected = await plainly(q, 40)
        matches += expected.length
        if (await lookUp(q)) byValues++
        expect(await found({ q }, 40)).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
  expect(matches).toBeGreaterThan(300)
  expect(byValues).toBeGreaterThan(20)
  const [kept, present] = await keptAndPresent()
  expect(kept).toEqual(present)
  await owner.query('truncate audit_values')
  for (const q of ['harbour', 'österr', 'clock', 'straße', 'no such text']) {
    expect(await lookUp(q)).toBeNull()
    expect(await found({ q }, 40)).toEqual(await plainly(q, 40))
  }
  await fillAuditValues(database.db)
  for (const q of ['harbour', 'österr', 'clock', 'straße', 'no such text'])
    expect(await found({ q }, 40)).toEqual(await plainly(q, 40))
  expect((await keptAndPresent())[0]).toEqual(present)
}, 120_000)

it('finds by values alone what lies in the oldest partition, and a name that no index of whole texts would take', async () => {
  const long = `Endless ${Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join(' ')}`
  await write([
    entry({ at: '2019-03-04T05:06:07.000001Z', name: 'Palimpsest Quarter' }),
    entry({ at: days(500), name: long }),
  ])
  expect(await lookUp('palimpsest q')).toEqual({
    actions: [],
    names: ['palimpsest quarter'],
    actors: [],
    tenants: [],
  })
  expect(await found({ q: 'PALIMPSEST q' })).toEqual(await plainly('palimpsest q', 9))
  expect(await found({ q: 'palimpsest q' })).toHaveLength(1)
  expect(await found({ q: 'endless 0 1 2' })).toHaveLength(1)
  expect(await lookUp('is in no entry')).toEqual({
    actions: [],
    names: [],
    actors: [],
    tenants: [],
  })
  expect(await found({ q: 'is in no entry' })).toEqual([])
})

it('does not make writers of the same new value wait for each other, and drops rolled back values', async () => {
  const other = new pg.Client({ connectionString: database.appUrl, statement_timeout: 5_000 })
  await other.connect()
  await owner.query('begin')
  await write([entry({ name: 'Simultaneous Harbinger' }), entry({ name: 'Never Committed' })])
  await write([entry({ name: 'simultaneous harbinger' })], other)
  expect(await found({ q: 'simultaneous harb' })).toHaveLength(1)
  await owner.query('rollback')
  await other.end()
  expect(await found({ q: 'simultaneous harb' })).toHaveLength(1)
  expect(await lookUp('never committed')).toEqual({
    actions: [],
    names: [],
    actors: [],
    tenants: [],
  })
})

async function writeMeanwhile(): Promise<void> {
  for (let n = 0; n < 20; n++) await write([entry({ at: days(n * 30), name: `Meanwhile ${n}` })])
}

it('goes on with a fill that was killed, beside writers, and is not used before its end', async () => {
  await owner.query('truncate audit_values')
  expect(await lookUp('palimpsest')).toBeNull()
  const killed = new pg.Client({ connectionString: database.appUrl })
  killed.on('error', () => {})
  await killed.connect()
  await killed.query('select audit_fill_values(300)')
  await killed.query('begin')
  await killed.query('select audit_fill_values(300)')
  const { rows } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid')
  const admin = new pg.Client({ connectionString: database.ownerUrl })
  await admin.connect()
  await admin
    .query('select pg_terminate_backend($1)', [rows[0]?.pid])
    .catch(async () => killed.end())
  await admin.end()
  expect(await lookUp('palimpsest')).toBeNull()
  expect(await found({ q: 'palimpsest' })).toEqual(await plainly('palimpsest', 9))
  const [steps] = await Promise.all([
    fillAuditValues(database.db, 300),
    fillAuditValues(database.db, 200),
    writeMeanwhile(),
  ])
  expect(steps).toBeGreaterThan(0)
  const [kept, present] = await keptAndPresent()
  expect(kept).toEqual(present)
  expect(await found({ q: 'meanwhile' })).toHaveLength(20)
  expect(await lookUp('palimpsest')).not.toBeNull()
})

it('shows each entry once to a reader who pages while others write', async () => {
  await write(
    Array.from({ length: 60 }, (_, n) =>
      entry({ at: days(100 + Math.floor(n / 7)), name: `Turnstile ${n}` }),
    ),
  )
  const there = new Set(await plainly('turnstile', 100))
  expect(there.size).toBe(60)
  const seen: string[] = []
  let before: string | undefined
  for (let page = 0; ; page++) {
    const { events }: Awaited<ReturnType<typeof searchAuditEvents>> = await searchAuditEvents(
      database.db,
      { q: 'turnstile', before },
      7,
    )
    seen.push(...events.map(({ id }) => id))
    if (page < 8)
      await write([
        entry({ at: days(0), name: 'Turnstile new' }),
        entry({ at: days(100 + seen.length / 7), name: 'Turnstile between' }),
      ])
    const last = events.at(-1)
    if (!last) break
    before = auditCursor(last)
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.filter((id) => there.has(id))).toHaveLength(60)
})

it('goes on behind a burst of what is asked for, to what lies long before it', async () => {
  await write([entry({ name: 'Cloudburst first', at: days(700) })])
  await write(Array.from({ length: 12 }, () => entry({ name: 'Cloudburst', at: days(0) })))
  expect(await found({ q: 'cloudburst' })).toEqual(await plainly('cloudburst', 50))
  expect(await found({ q: 'cloudburst' })).toHaveLength(13)
})

it('says how far a short text was looked for, and finds all of it step by step', async () => {
  await write([entry({ name: 'ꙮ7', at: days(900) })])
  await owner.query(
    `insert into audit_events (at, actor_type, action, outcome, resource_type, tenant_slug, source)
     select now() - interval '300 days' - n / 4 * interval '1 second', 'system', 'member.updated', 'success', 'member', 'crowded', 'job'
     from generate_series(1, 41000) n`,
  )
  for (const filter of [{ q: 'ꙮ7' }, { q: '#!%' }, { q: 'ꙮ7', tenantSlug: 'crowded' }]) {
    const seen: string[] = []
    let steps = 0
    for (let before: string | undefined; ; steps++) {
      const { events, stoppedAt }: Awaited<ReturnType<typeof searchAuditEvents>> =
        await searchAuditEvents(database.db, { ...filter, before }, 50)
      seen.push(...events.map(({ id }) => id))
      if (stoppedAt === null) break
      before = stoppedAt
    }
    expect(steps).toBeGreaterThanOrEqual(2)
    expect(seen).toEqual('tenantSlug' in filter ? [] : await plainly(filter.q, 50))
  }
  expect(await plainly('ꙮ7', 50)).toHaveLength(1)
})
