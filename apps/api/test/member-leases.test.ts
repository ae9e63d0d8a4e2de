import {
  claimMember,
  extendMembers,
  findUnfinishedMembers,
  memberLeaseSeconds,
  releaseMember,
} from '@atrium/db/members/member-work'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let testApp: MembersTestApp
let userId: string
beforeAll(async () => {
  testApp = await startMembersTestApp({ provisioned: false })
  userId = await testApp.idOf('member@acme.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  await testApp.database.db
    .updateTable('memberships')
    .set({ run: null, lease_until: null })
    .execute()
})

async function claimed() {
  const work = await claimMember(testApp.database.db, testApp.acmeId, userId)
  if (!work) throw new Error('the member is held')
  return work
}

/** Seconds that the lease has left; undefined when nobody holds the member. */
async function secondsLeft(): Promise<number | undefined> {
  const { rows } = await sql<{
    seconds: number | null
  }>`select extract(epoch from lease_until - now())::float8 as seconds
    from memberships where tenant_id = ${testApp.acmeId} and user_id = ${userId}`.execute(
    testApp.database.db,
  )
  return rows[0]?.seconds ?? undefined
}

async function endsIn(seconds: number): Promise<void> {
  await sql`update memberships set lease_until = now() + make_interval(secs => ${seconds}) where user_id = ${userId}`.execute(
    testApp.database.db,
  )
}

it('a lease on a member is short, and a sign of life makes it whole again', async () => {
  const { run } = await claimed()
  expect(await secondsLeft()).toBeLessThanOrEqual(memberLeaseSeconds)
  await endsIn(1)
  expect(await extendMembers(testApp.database.db, [run])).toEqual([run])
  expect(await secondsLeft()).toBeGreaterThan(memberLeaseSeconds / 2)
})

it('work that is over gives no sign of life any more', async () => {
  const work = await claimed()
  await releaseMember(testApp.database.db, work)
  expect(await extendMembers(testApp.database.db, [work.run])).toEqual([])
  expect(await secondsLeft()).toBeUndefined()
})

it('finished work cannot keep another worker’s lease alive', async () => {
  const first = await claimed()
  await endsIn(-1)
  const second = await claimed()
  await endsIn(1)
  expect(await extendMembers(testApp.database.db, [first.run])).toEqual([])
  expect(await secondsLeft()).toBeLessThanOrEqual(1)
  expect(await extendMembers(testApp.database.db, [first.run, second.run])).toEqual([second.run])
})

it('a process gives signs of life for what it works on', async () => {
  testApp.app.services.memberLeases.kept(await claimed())
  await endsIn(6)
  await expect.poll(secondsLeft, { timeout: 15_000, interval: 200 }).toBeGreaterThan(8)
  testApp.app.services.memberLeases.stop()
})

it('the sweep finds unfinished members that are held, and for how long', async () => {
  const { db } = testApp.database
  await db
    .updateTable('memberships')
    .set({ mail_state: 'pending' })
    .where('user_id', '=', userId)
    .execute()
  const found = async () =>
    (await findUnfinishedMembers(db, 500)).find((one) => one.userId === userId)?.heldSeconds
  expect(await found()).toBe(0)
  await claimed()
  const held = await found()
  expect(held).toBeGreaterThan(memberLeaseSeconds / 2)
  expect(held).toBeLessThanOrEqual(memberLeaseSeconds)
})
