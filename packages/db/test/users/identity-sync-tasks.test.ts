import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  addIdentitySyncTask,
  claimProfile,
  completeProfileSync,
} from '../../src/users/identity-sync-tasks.ts'
import { insertUser, setDeactivated } from '../../src/users/users.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ readers: 1 })
})
afterAll(() => database[Symbol.asyncDispose]())

it('settles a profile beside an act that has changed the person and not yet noted it', async () => {
  const { db } = database
  const person = await insertUser(db, {
    subject: 'deadlock',
    email: 'deadlock@example.test',
    name: 'D',
  })
  if (!person) throw new Error('The person exists already.')
  await addIdentitySyncTask(db, person.id, { profile: true })
  const turn = await claimProfile(db, person.id)
  if (typeof turn === 'string') throw new Error(`The profile is ${turn}.`)
  const settled = await db.transaction().execute(async (trx) => {
    await setDeactivated(trx, person.id, true)
    const settling = completeProfileSync(db, turn)
    await waitForBlockedSession()
    await addIdentitySyncTask(trx, person.id, { everywhere: true })
    return { settling }
  })
  // The act noted a mark of its own, so the profile stays due.
  expect(await settled.settling).toBe(false)
  const due = await db
    .selectFrom('identity_dues')
    .select(['everywhere', 'profile'])
    .where('user_id', '=', person.id)
    .executeTakeFirst()
  expect(due).toEqual({ everywhere: true, profile: true })
})

async function waitForBlockedSession(): Promise<void> {
  const blocked = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  for (;;) if ((await database.read({ name: 'blocked', text: blocked }, [])).length > 0) return
}
