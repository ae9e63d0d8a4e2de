import { deleteRemovedPeople } from '@atrium/db/members/member-work'
import { deleteUser } from '@atrium/db/users/users'
import { tenantIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'

let testApp: TestApp

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

it('the record of somebody who was a host is closed and stays with the bookings, and others are deleted beside it', async () => {
  const { db } = testApp.database
  const tenantId = await tenantIdOf(db, 'acme')
  const person = async (name: string) => {
    const values = { idp_subject_id: name.repeat(8), email: `${name}@example.test`, name }
    return (await db.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow())
      .id
  }
  const [hostId, otherId] = [await person('formerly'), await person('otherone')]
  const zone = { zone: 'UTC', mail_address: 'formerly@example.test' }
  await db
    .insertInto('hosts')
    .values({ tenant_id: tenantId, user_id: hostId, slug: 'formerly', name: 'Formerly', ...zone })
    .execute()
  await db.transaction().execute(async (trx) => {
    await deleteUser(trx, hostId)
    await deleteUser(trx, otherId)
  })
  const left = () =>
    db
      .selectFrom('users')
      .select(['id', 'removed_at'])
      .where('id', 'in', [hostId, otherId])
      .execute()
  expect(await left()).toEqual([{ id: hostId, removed_at: expect.any(Date) }])
  const old = new Date(Date.now() - 40 * 86_400_000)
  const removed = await person('longgone')
  await db
    .updateTable('users')
    .set({ removed_at: old })
    .where('id', 'in', [hostId, removed])
    .execute()
  expect(await deleteRemovedPeople(db)).toBe(1)
  expect(await left()).toHaveLength(1)
})
