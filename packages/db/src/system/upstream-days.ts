import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/**
 * Calls to one upstream system on one day (UTC, `2026-11-23`), and those that failed on its side.
 */
export interface UpstreamDay {
  system: string
  day: string
  calls: number
  failures: number
  lastFailedAt: Date | null
  lastFailure: string | null
}

/** Adds to the stored counts. Each system and day may be listed once. */
export async function addUpstreamDays(db: Db, days: readonly UpstreamDay[]): Promise<void> {
  if (days.length === 0) return
  // Sorted, so that processes that save at the same time lock the rows in the same order.
  const values = days
    .toSorted((a, b) => `${a.system} ${a.day}`.localeCompare(`${b.system} ${b.day}`))
    .map(({ lastFailedAt, lastFailure, ...counts }) => ({
      ...counts,
      last_failed_at: lastFailedAt,
      last_failure: lastFailure,
    }))
  await db
    .insertInto('upstream_days')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['system', 'day']).doUpdateSet({
        calls: sql`upstream_days.calls + excluded.calls`,
        failures: sql`upstream_days.failures + excluded.failures`,
        last_failed_at: sql`greatest(upstream_days.last_failed_at, excluded.last_failed_at)`,
        last_failure: sql`case when excluded.last_failed_at >= coalesce(upstream_days.last_failed_at, '-infinity')
          then excluded.last_failure else upstream_days.last_failure end`,
      }),
    )
    .execute()
}

/** The days from `since` (a day, UTC) on, oldest first. */
export async function listUpstreamDays(db: Db, since: string): Promise<UpstreamDay[]> {
  const rows = await db
    .selectFrom('upstream_days')
    .select(['system', sql<string>`day::text`.as('day'), 'calls', 'failures'])
    .select(['last_failed_at as lastFailedAt', 'last_failure as lastFailure'])
    .where('day', '>=', since)
    .orderBy('day')
    .orderBy('system')
    .execute()
  return rows.map((row) => ({ ...row, calls: Number(row.calls), failures: Number(row.failures) }))
}

export async function deleteUpstreamDays(db: Db, before: string): Promise<void> {
  await db.deleteFrom('upstream_days').where('day', '<', before).execute()
}
