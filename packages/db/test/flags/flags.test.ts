import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveFlagUses } from '../../src/flags/flags.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
  await sql`insert into flags (key, state, note) values ('new_flag', 'on', 'Made.')`.execute(
    database.db,
  )
  await sql`insert into flag_changes (flag_key, version, kind, note, after) values ('new_flag', 1, 'created', 'Made.', '{}')`.execute(
    database.db,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('the history of flags', () => {
  const changes = [
    `update flag_changes set note = 'x'`,
    'delete from flag_changes',
    'truncate flag_changes',
  ]
  it.each(changes)('rejects the owner and the API: %s', async (statement) => {
    await expect(asOwner(statement)).rejects.toThrow(/append-only/)
    await expect(sql.raw(statement).execute(database.db)).rejects.toThrow(/permission denied/)
  })

  it('takes each version of a flag once', async () => {
    const again = sql`insert into flag_changes (flag_key, version, kind, note, after) values ('new_flag', 1, 'created', 'x', '{}')`
    await expect(again.execute(database.db)).rejects.toMatchObject({
      constraint: 'flag_changes_flag_key_version_key',
    })
  })
})

describe('a flag', () => {
  it('is never deleted by the API, so that its key stays taken', async () => {
    await expect(sql`delete from flags`.execute(database.db)).rejects.toThrow(/permission denied/)
  })

  it.each([
    [`key = 'No Key'`, 'flags_key_check'],
    ['percentage = 100.01', 'flags_percentage_check'],
    [`enabled_from = now(), enabled_until = now()`, 'flags_check'],
    ['killed_at = now()', 'flags_check1'],
  ])('is not stored with %s', async (change, constraint) => {
    const statement = sql.raw(`update flags set ${change} where key = 'new_flag'`)
    await expect(statement.execute(database.db)).rejects.toMatchObject({ constraint })
  })

  it('remembers the last use only, and none of a flag that there is not', async () => {
    const [earlier, later] = [new Date('2026-11-21T10:00:00Z'), new Date('2026-11-21T11:00:00Z')]
    await saveFlagUses(database.db, [{ key: 'new_flag', at: later }])
    await saveFlagUses(database.db, [
      { key: 'new_flag', at: earlier },
      { key: 'no_such_flag', at: later },
    ])
    const rows = await database.db.selectFrom('flag_uses').selectAll().execute()
    expect(rows).toEqual([{ flag_key: 'new_flag', last_asked_at: later }])
  })
})
