import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** What is counted, and the window that it is counted in. */
export interface CountedWindow {
  key: string
  start: Date
  end: Date
}

/** Takes one in each of these windows, and answers how many are taken in each with this one. */
export async function takeOne(db: Db, windows: readonly CountedWindow[]): Promise<number[]> {
  const values = windows.map(({ key, start, end }) => sql`(${key}, ${start}::timestamptz, 1, ${end}::timestamptz)`)
  const { rows } = await sql<{ key: string; taken: number }>`
    insert into rate_limits (key, window_start, taken, expires_at) values ${sql.join(values)}
    on conflict (key, window_start) do update set taken = rate_limits.taken + 1
    returning key, taken`.execute(db)
  return windows.map(({ key }) => rows.find((row) => row.key === key)?.taken ?? 0)
}

/** How many are taken in each, without taking one. */
export async function countTaken(db: Db, windows: readonly CountedWindow[]): Promise<number[]> {
  const rows = await db
    .selectFrom('rate_limits')
    .select(['key', 'window_start', 'taken'])
    .where(
      'key',
      'in',
      windows.map(({ key }) => key),
    )
    .execute()
  return windows.map(({ key, start }) => rows.find((row) => row.key === key && row.window_start.getTime() === start.getTime())?.taken ?? 0)
}

/** Answers how many. */
export async function deleteExpiredRateLimits(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('rate_limits').where('expires_at', '<=', now).executeTakeFirst()
  return Number(numDeletedRows)
}
