import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

/**
 * The time by the database's clock, which all processes share: for saying which of two readings of an outside system began later. Never
 * for rules about time, which take the moment of the caller's clock.
 */
export async function databaseNow(db: Db | Trx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const row = rows[0]
  if (!row) throw new Error('a select without a table answers one row')
  return row.now
}
