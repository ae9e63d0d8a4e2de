import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

/**
 * The time by the database's clock, which all processes share: for saying which of two readings of
 * an upstream system began later, and for work that cannot be undone (`clockDifferenceMs`). Rules
 * of a request take the moment of the caller's clock.
 */
export async function databaseNow(db: Db | Trx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const row = rows[0]
  if (!row) throw new Error('a select without a table answers one row')
  return row.now
}

/**
 * How many milliseconds the clock of this machine is ahead of the database's; negative when it is
 * behind. Right to within the time that the statement took, because the database's time is compared
 * with the middle of it.
 */
export async function clockDifferenceMs(db: Db | Trx): Promise<number> {
  const began = performance.now()
  const before = Date.now()
  const then = await databaseNow(db)
  return before + (performance.now() - began) / 2 - then.getTime()
}

/** The moment in so many seconds. */
export const secondsFromNow = (seconds: number) =>
  sql<Date>`now() + make_interval(secs => ${seconds})`

/**
 * The moment and the one in so many seconds as a table of one row, for an update that names them in
 * a `case`: a database that is distributed by tenant takes no function of the time there.
 */
export const clockAt = (seconds = 0) =>
  sql<{
    now: Date
    later: Date
  }>`(select now() as now, now() + make_interval(secs => ${seconds}) as later)`.as('clock')

/** The moments of `clockAt`. */
export const clock = { now: sql<Date>`clock.now`, later: sql<Date>`clock.later` }

/** Whether work is due that waits for the moment in this column; true for null. */
export const isDue = (column: string) =>
  sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} <= now())`

/** Whether the lease until the moment in this column has expired; true for null. */
export const leaseExpired = (column: string) =>
  sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} < now())`
