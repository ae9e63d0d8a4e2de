import { copyDatabase } from '@atrium/testing/postgres/database'
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listTenantsByHealth, readHealthFacts } from '../../src/health-scores/health.ts'
import { listMembers, type MemberFilter } from '../../src/members/members.ts'
import type { Db } from '../../src/platform/connect.ts'
import type { Tables } from '../../src/schema/tables.ts'
import { listOwnTenantsStatement } from '../../src/tenants/own-tenants.ts'
import { listTenants, type TenantFilter } from '../../src/tenants/tenants.ts'
import { listUsers, type UserFilter } from '../../src/users/users.ts'

/** With long values, so that reading everybody takes more blocks than a page may take. */
const users = 40_000
const tenants = 2_000
const crowded = 2_000
/** docs/reference/performance.md */
const mostBlocks = 2_000

let accounts: Awaited<ReturnType<typeof copyDatabase>>
let pool: pg.Pool
let db: Db
let ran: { sql: string; parameters: readonly unknown[] }[] = []

beforeAll(async () => {
  accounts = await copyDatabase()
  pool = new pg.Pool({ connectionString: accounts.ownerUrl, max: 1 })
  pool.on('error', () => undefined)
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void ran.push(query),
  })
  await db.transaction().execute(async (trx) => {
    const insert = (text: RawBuilder<unknown>) => text.execute(trx)
    await insert(sql`
      insert into users (id, idp_subject_id, email, name, alternative_email)
      select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'subject-' || n, 'user' || n || '@people.test', 'Person ' || n, repeat('x', 500)
      from generate_series(1, ${users}::int) n`)
    await insert(sql`
      insert into tenants (id, slug, name, status) select ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'tenant-' || n, 'Workplace ' || n, 'active'
      from generate_series(1, ${tenants}::int) n`)
    await insert(sql`
      insert into domains (tenant_id, name, is_primary) select id, slug || '.domains.test', true from tenants`)
    await insert(sql`
      insert into memberships (tenant_id, user_id, role) select t.id, u.id, 'owner'
      from tenants t join users u on right(u.id::text, 12) = right(t.id::text, 12)`)
    // The members of a tenant lie all over the table, as they do after years.
    await insert(sql`
      insert into memberships (tenant_id, user_id, role, mailbox_address)
      select ('00000000-0000-7000-9000-' || lpad(to_hex(case when n % (${users}::int / ${crowded}::int) = 0 then 1 else 1 + n % ${tenants}::int end), 12, '0'))::uuid,
        ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'member', 'box' || n || '@people.test'
      from generate_series(1, ${users}::int) n on conflict do nothing`)
  })
  // Statistics of every row: those of a sample make the planner choose now this way, now another.
  await pool.query('set default_statistics_target = 1000')
  for (const table of ['users', 'tenants', 'domains', 'memberships'])
    await pool.query(`vacuum analyze ${table}`)
}, 120_000)
afterAll(async () => {
  await db.destroy()
  await accounts[Symbol.asyncDispose]()
})

/** What a read returns, and the blocks that its statements touch when they run again. */
async function blocksOf<Row>(read: () => Promise<Row[]>): Promise<{ rows: Row[]; blocks: number }> {
  ran = []
  const rows = await read()
  let blocks = 0
  for (const { sql: text, parameters } of ran) {
    const { rows: explained } = await pool.query(
      `explain (analyze, buffers, format json) ${text}`,
      [...parameters],
    )
    const { Plan: plan } = explained[0]['QUERY PLAN'][0]
    blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return { rows, blocks }
}

const limit = 25
const crowdedId = '00000000-0000-7000-9000-000000000001'
const page = limit + 1

/** Texts without a hit, with few, and with so many that the newest fill the page. */
const texts = ['nobody has this', 'qx', 'z.q']

it.each<[Omit<UserFilter, 'limit'>, number]>([
  ...texts.map((q): [UserFilter, number] => [{ q, limit }, 0]),
  [{ q: 'user12345' }, 1],
  [{ q: 'USER123' }, page],
  [{ q: 'person 777' }, 11],
  [{ q: 'people.test' }, page],
  [{ q: '77' }, page],
  [{}, page],
  [{ role: 'owner' }, page],
  [{ role: 'member' }, page],
  [{ role: 'admin' }, 0],
  [{ role: 'owner', q: 'user1999' }, 1],
  [{ tenantSlug: 'tenant-1' }, page],
  [{ tenantSlug: 'tenant-1', role: 'owner' }, 1],
  [{ tenantSlug: 'tenant-1', q: 'nobody has this' }, 0],
  [{ tenantSlug: 'nowhere' }, 0],
  [{ partnerSlug: 'nowhere' }, 0],
  [{ platformAdmin: true }, 0],
  [{ status: 'deactivated' }, 0],
])('lists users by %j', async (filter, found) => {
  const { rows, blocks } = await blocksOf(() => listUsers(db, { ...filter, limit }))
  expect(rows.length).toBe(found)
  expect(blocks).toBeLessThan(mostBlocks)
})

it.each<[Omit<TenantFilter, 'limit' | 'scope'>, number]>([
  ...texts.map((q): [Omit<TenantFilter, 'limit' | 'scope'>, number] => [{ q }, 0]),
  [{ q: 'place 777' }, 1],
  [{ q: 'user888@' }, 1],
  [{ q: 'tenant-9.domains' }, 1],
  [{ q: 'tenant' }, page],
  [{}, page],
  [{ status: 'suspended' }, 0],
  [{ partnerSlug: 'nowhere' }, 0],
])('lists tenants by %j', async (filter, found) => {
  const { rows, blocks } = await blocksOf(() =>
    listTenants(db, { scope: { everything: true }, ...filter, limit }),
  )
  expect(rows.length).toBe(found)
  expect(blocks).toBeLessThan(mostBlocks)
})

const memberOfTwo = '00000000-0000-7000-8000-000000000007'
const ofTwo = [
  ['tenant-8', 'member'],
  ['tenant-7', 'owner'],
]

it.each([undefined, crowdedId])(
  'lists the tenants of one person without a look at the others, of partner %s',
  async (partnerId) => {
    const scope = { everything: false, userId: memberOfTwo, partnerId } as const
    const { rows, blocks } = await blocksOf(() => listTenants(db, { scope, limit }))
    expect(rows.map(({ slug, role }) => [slug, role])).toEqual(ofTwo)
    // The crowded tables have thousands.
    expect(blocks).toBeLessThan(200)
  },
)

it('lists them by key with the plan that serves every person', async () => {
  const { name, text } = listOwnTenantsStatement
  await pool.query('set plan_cache_mode = force_generic_plan')
  await pool.query(`prepare ${name} as ${text}`)
  const run = `execute ${name}('${memberOfTwo}', null, null, null, null, ${page})`
  const { rows } = await pool.query(run)
  expect(rows.map(({ slug, role }) => [slug, role])).toEqual(ofTwo)
  const { rows: explained } = await pool.query(`explain (analyze, buffers, format json) ${run}`)
  await pool.query('reset plan_cache_mode')
  const { Plan: plan } = explained[0]['QUERY PLAN'][0]
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(200)
})

it.each<[Omit<MemberFilter, 'limit'>, number]>([
  ...texts.map((q): [Omit<MemberFilter, 'limit'>, number] => [{ q }, 0]),
  [{ q: 'user12340' }, 1],
  [{ q: 'box12340@' }, 1],
  [{ q: 'people.test' }, page],
  [{}, page],
  [{ role: 'owner' }, 1],
  [{ role: 'admin' }, 0],
  [{ status: 'suspended' }, 0],
  [{ status: 'deactivated' }, 0],
])('lists members of a tenant with thousands by %j', async (filter, found) => {
  const { rows, blocks } = await blocksOf(() => listMembers(db, crowdedId, { ...filter, limit }))
  expect(rows.length).toBe(found)
  expect(blocks).toBeLessThan(mostBlocks)
})

it('reads the health of a tenant with thousands of members without a look at each', async () => {
  const now = new Date()
  const { rows, blocks } = await blocksOf(() =>
    readHealthFacts(db, [crowdedId], { recentSince: now, failuresSince: now }, { members: false }),
  )
  expect(rows).toMatchObject([{ id: crowdedId, activity: null, security: null }])
  expect(Number(rows[0]?.memberCount)).toBeGreaterThan(crowded / 2)
  expect(blocks).toBeLessThan(mostBlocks)
})

it('lists tenants by their health', async () => {
  const { blocks } = await blocksOf(() => listTenantsByHealth(db, null, { band: 'at_risk', limit }))
  expect(blocks).toBeLessThan(mostBlocks)
})

it('finds a short text where a word begins, and a longer one anywhere', async () => {
  await sql`insert into users (idp_subject_id, email, name) values ('li', 'wei.li@people.test', 'Wei Li'), ('ol', 'olivia@people.test', 'Olivia')`.execute(
    db,
  )
  const emails = async (q: string) => (await listUsers(db, { q, limit })).map(({ email }) => email)
  expect(await emails('li')).toEqual(['wei.li@people.test'])
  expect(await emails('LI@')).toEqual(['wei.li@people.test'])
  expect((await emails('liv'))[0]).toBe('olivia@people.test')
})
