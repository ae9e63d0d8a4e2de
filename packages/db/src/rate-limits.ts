import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

/** What is counted, and the window that it is counted in. */
export interface CountedWindow {
  key: string
  start: Date
  end: Date
}

/** How many are taken in a window, and the number that an operator set for the tenant; null where none is set. */
export interface TakenInWindow {
  taken: number
  mostForTenant: number | null
}

/** A window, how many are taken in it, and for a limit per tenant what its number is stored under. */
export interface WindowTake extends CountedWindow {
  amount: number
  ofTenant?: { tenantId: string; limit: string }
}

/**
 * Adds to the counts of these windows and returns the sums, in one statement. The rows are locked in the order of their keys, so that two
 * transactions that take the same ones never wait for each other in a circle.
 */
export async function takeInWindows(db: Db | Trx, takes: readonly WindowTake[]): Promise<TakenInWindow[]> {
  const tenantId = takes.find(({ ofTenant }) => ofTenant)?.ofTenant?.tenantId
  const values = [...takes]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, start, end, amount }) => ({ key, window_start: start, taken: amount, expires_at: end }))
  const rows = await db
    .insertInto('rate_limits')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['key', 'window_start']).doUpdateSet({ taken: (eb) => eb('rate_limits.taken', '+', eb.ref('excluded.taken')) }),
    )
    .returning(['key', 'taken'])
    .$if(tenantId !== undefined, (query) =>
      query.returning((eb) =>
        eb
          .selectFrom('tenant_limits')
          .select((of) => sql<Record<string, number>>`jsonb_object_agg(${of.ref('name')}, ${of.ref('most')})`.as('most'))
          .where('tenant_id', '=', tenantId ?? '')
          .as('ofTenant'),
      ),
    )
    .execute()
  return takes.map(({ key, ofTenant }) => {
    const row = rows.find((one) => one.key === key)
    const most = ofTenant && row?.ofTenant?.[ofTenant.limit]
    return { taken: row?.taken ?? 0, mostForTenant: most ?? null }
  })
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

/** The number that an operator set for a tenant; undefined where none is set. */
export async function findTenantLimit(db: Db | Trx, tenantId: string, name: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('tenant_limits')
    .select('most')
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.most
}

/** Returns how many were deleted. */
export async function deleteExpiredRateLimits(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('rate_limits').where('expires_at', '<=', now).executeTakeFirst()
  return Number(numDeletedRows)
}
