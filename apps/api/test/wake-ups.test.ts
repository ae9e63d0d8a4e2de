import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sweepMembers } from '../src/members/jobs.ts'
import { sweepProvisioning } from '../src/provisioning/jobs.ts'
import { type MembersHouse, openMembersHouse } from './members-house.ts'

let house: MembersHouse
let userId: string
beforeAll(async () => {
  house = await openMembersHouse({ provisioned: false })
  userId = await house.idOf('member@acme.test')
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => sql`delete from jobs.job where name in ('members', 'provisioning', 'member-imports')`.execute(house.database.db))

/** In how many seconds each waiting job of a key begins, 0 for what is due. */
async function waiting(key: string): Promise<number[]> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(extract(epoch from start_after - now()), 0)::float8 as seconds from jobs.job
    where singleton_key = ${key} and state = 'created'`.execute(house.database.db)
  return rows.map(({ seconds }) => seconds)
}
const member = () => `${house.acmeId}.${userId}`

it('an earlier wake-up moves a waiting job forward, and a later one moves it nowhere', async () => {
  const { jobs } = house.app.house
  await jobs.wakeMember(house.acmeId, userId, 3600)
  await jobs.wakeMember(house.acmeId, userId, 30)
  const [soon = Number.NaN, ...others] = await waiting(member())
  expect(others).toEqual([])
  expect(soon).toBeLessThanOrEqual(30)
  await jobs.wakeMember(house.acmeId, userId, 3600)
  expect((await waiting(member()))[0]).toBeLessThanOrEqual(30)
  await jobs.wakeMember(house.acmeId, userId, 0)
  expect(await waiting(member())).toEqual([0])
})

it('holds for tenants and imports too, also in a transaction', async () => {
  const { jobs } = house.app.house
  await jobs.wakeProvisioning(house.acmeId, 3600)
  await house.database.db.transaction().execute((trx) => jobs.wakeProvisioning(house.acmeId, 0, trx))
  expect(await waiting(house.acmeId)).toEqual([0])
  await jobs.wakeImport(userId, 3600)
  await jobs.wakeImport(userId, 0)
  expect(await waiting(userId)).toEqual([0])
})

it('a sweep reaches every due row, however many there are and whatever waits for them', async () => {
  const { db } = house.database
  // More than a page of the sweep, all of them due, and the job of each an hour away.
  const people = await sql<{ id: string }>`
    insert into users (idp_subject_id, email, name)
    select 'many-' || n, 'many-' || n || '@example.test', 'One of many' from generate_series(1, 1100) n returning id`.execute(db)
  const ids = people.rows.map(({ id }) => id)
  await sql`insert into memberships (tenant_id, user_id, role, mail_state)
    select ${house.acmeId}, id, 'member', 'pending' from unnest(${ids}::uuid[]) id`.execute(db)
  await house.app.house.jobs.wakeMembers(ids.map((id) => ({ tenantId: house.acmeId, userId: id, afterSeconds: 3600 })))
  await sweepMembers(house.app.house)
  const { rows } = await sql<{ due: number; later: number }>`
    select count(*) filter (where start_after <= now())::int as due, count(*) filter (where start_after > now())::int as later
    from jobs.job where name = 'members' and state = 'created'`.execute(db)
  expect(rows).toEqual([{ due: 1100, later: 0 }])
  await sql`delete from users where id = any(${ids}::uuid[])`.execute(db).catch(() => undefined)
})

it('a sweep moves the job of a tenant forward that is due before it', async () => {
  await house.app.house.jobs.wakeProvisioning(house.acmeId, 3600)
  await sweepProvisioning(house.app.house)
  expect(await waiting(house.acmeId)).toEqual([0])
})
