import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sweepMembers } from '../src/members/jobs.ts'
import { sweepProvisioning } from '../src/provisioning/jobs.ts'

let testApp: MembersTestApp
let userId: string
beforeAll(async () => {
  testApp = await startMembersTestApp({ provisioned: false })
  userId = await testApp.idOf('member@acme.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() =>
  sql`delete from jobs.job where name in ('members', 'provisioning', 'member-imports')`.execute(
    testApp.database.db,
  ),
)

/** In how many seconds each waiting job of a key begins, 0 for what is due. */
async function waiting(key: string): Promise<number[]> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(extract(epoch from start_after - now()), 0)::float8 as seconds from jobs.job
    where singleton_key = ${key} and state = 'created'`.execute(testApp.database.db)
  return rows.map(({ seconds }) => seconds)
}
const member = () => `${testApp.acmeId}.${userId}`

it('an earlier wake-up moves a waiting job forward, and a later one moves it nowhere', async () => {
  const { jobs } = testApp.app.services
  await jobs.enqueueMember(testApp.acmeId, userId, 3600)
  await jobs.enqueueMember(testApp.acmeId, userId, 30)
  const [soon = Number.NaN, ...others] = await waiting(member())
  expect(others).toEqual([])
  expect(soon).toBeLessThanOrEqual(30)
  await jobs.enqueueMember(testApp.acmeId, userId, 3600)
  expect((await waiting(member()))[0]).toBeLessThanOrEqual(30)
  await jobs.enqueueMember(testApp.acmeId, userId, 0)
  expect(await waiting(member())).toEqual([0])
})

it('holds for tenants and imports too, also in a transaction', async () => {
  const { jobs } = testApp.app.services
  await jobs.enqueueProvisioning(testApp.acmeId, 3600)
  await testApp.database.db
    .transaction()
    .execute((trx) => jobs.enqueueProvisioning(testApp.acmeId, 0, trx))
  expect(await waiting(testApp.acmeId)).toEqual([0])
  await jobs.enqueueImport(userId, 3600)
  await jobs.enqueueImport(userId, 0)
  expect(await waiting(userId)).toEqual([0])
})

it('a sweep reaches every due row, however many there are and whatever waits for them', async () => {
  const { db } = testApp.database
  // More than a page of the sweep, all of them due, and the job of each an hour away.
  const people = await sql<{ id: string }>`
    insert into users (idp_subject_id, email, name)
    select 'many-' || n, 'many-' || n || '@example.test', 'One of many' from generate_series(1, 1100) n returning id`.execute(
    db,
  )
  const ids = people.rows.map(({ id }) => id)
  await sql`insert into memberships (tenant_id, user_id, role, mail_state)
    select ${testApp.acmeId}, id, 'member', 'pending' from unnest(${ids}::uuid[]) id`.execute(db)
  await testApp.app.services.jobs.enqueueMembers(
    ids.map((id) => ({ tenantId: testApp.acmeId, userId: id, afterSeconds: 3600 })),
  )
  await sweepMembers(testApp.app.services)
  const { rows } = await sql<{ due: number; later: number }>`
    select count(*) filter (where start_after <= now())::int as due, count(*) filter (where start_after > now())::int as later
    from jobs.job where name = 'members' and state = 'created'`.execute(db)
  expect(rows).toEqual([{ due: 1100, later: 0 }])
  await sql`delete from users where id = any(${ids}::uuid[])`.execute(db).catch(() => undefined)
})

it('a sweep moves the job of a tenant forward that is due before it', async () => {
  await testApp.app.services.jobs.enqueueProvisioning(testApp.acmeId, 3600)
  await sweepProvisioning(testApp.app.services)
  expect(await waiting(testApp.acmeId)).toEqual([0])
})
