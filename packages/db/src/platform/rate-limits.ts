import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

/** What is counted, and the window that it is counted in. */
export interface CountedWindow {
  key: string
  start: Date
  end: Date
}

/**
 * How many are taken in a window, and the number that an operator set for the tenant; null where
 * none is set.
 */
export interface TakenInWindow {
  taken: number
  mostForTenant: number | null
}

/**
 * A window, how many are taken in it, and for a limit inside a tenant what its number is stored
 * under. The takes of one statement name one tenant.
 */
export interface WindowTake extends CountedWindow {
  amount: number
  ofTenant?: { tenantId: string; limit: string }
}

/**
 * Adds to the counts of these windows and returns the sums, in one statement. The rows are locked
 * in the order of their keys, so that two transactions that take the same ones never wait for each
 * other in a circle. No limiter library counts several windows at once (decision 0048).
 */
export async function takeInWindows(
  db: Db | Trx,
  takes: readonly WindowTake[],
): Promise<TakenInWindow[]> {
  const tenantId = takes.find(({ ofTenant }) => ofTenant)?.ofTenant?.tenantId
  const values = [...takes]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, start, end, amount }) => ({
      key,
      window_start: start,
      taken: amount,
      expires_at: end,
    }))
  const rows = await db
    .with('taken', (cte) =>
      cte
        .insertInto('rate_limits')
        .values(values)
        .onConflict((conflict) =>
          conflict
            .columns(['key', 'window_start'])
            .doUpdateSet({ taken: (eb) => eb('rate_limits.taken', '+', eb.ref('excluded.taken')) }),
        )
        .returning(['key', 'taken']),
    )
    .selectFrom('taken')
    .select(['key', 'taken'])
    .$if(tenantId !== undefined, (query) =>
      query.select((eb) =>
        eb
          .selectFrom('tenant_limits')
          .select((of) =>
            sql<Record<string, number>>`jsonb_object_agg(${of.ref('name')}, ${of.ref('most')})`.as(
              'most',
            ),
          )
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
  return windows.map(
    ({ key, start }) =>
      rows.find((row) => row.key === key && row.window_start.getTime() === start.getTime())
        ?.taken ?? 0,
  )
}

/** The highest count of a limit in one window among the members or among the hosts of a tenant. */
export async function highestTaken(
  db: Db,
  {
    tenantId,
    limit,
    per,
    start,
  }: { tenantId: string; limit: string; per: 'member' | 'host'; start: Date },
): Promise<number> {
  const counted =
    per === 'host'
      ? db
          .selectFrom('hosts')
          .select(sql<string>`${`${limit} `}::text || id`.as('key'))
          .where('tenant_id', '=', tenantId)
      : db
          .selectFrom('memberships')
          .select(sql<string>`${`${limit} `}::text || user_id`.as('key'))
          .where('tenant_id', '=', tenantId)
  const row = await db
    .selectFrom('rate_limits')
    .select((eb) => eb.fn.max('taken').as('taken'))
    .where('window_start', '=', start)
    .where('key', 'in', counted)
    .executeTakeFirst()
  return row?.taken ?? 0
}

/** The number that an operator set for a tenant; undefined where none is set. */
export async function findTenantLimit(
  db: Db | Trx,
  tenantId: string,
  name: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('tenant_limits')
    .select('most')
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.most
}

/** All numbers that an operator set for a tenant, by the name of the limit. */
export async function findTenantLimits(
  db: Db | Trx,
  tenantId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('tenant_limits')
    .select(['name', 'most'])
    .where('tenant_id', '=', tenantId)
    .execute()
  return new Map(rows.map(({ name, most }) => [name, most]))
}

/**
 * Stores numbers for a tenant; null removes one. Requires `Trx`: what they replace is read under
 * the lock of the tenant's row.
 */
export async function saveTenantLimits(
  trx: Trx,
  tenantId: string,
  provided: readonly { name: string; most: number | null }[],
): Promise<void> {
  const removed = provided.filter(({ most }) => most === null).map(({ name }) => name)
  if (removed.length > 0)
    await trx
      .deleteFrom('tenant_limits')
      .where('tenant_id', '=', tenantId)
      .where('name', 'in', removed)
      .execute()
  const set = provided.flatMap(({ name, most }) =>
    most === null ? [] : [{ tenant_id: tenantId, name, most }],
  )
  if (set.length === 0) return
  await trx
    .insertInto('tenant_limits')
    .values(set)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'name']).doUpdateSet(({ ref }) => ({
        most: ref('excluded.most'),
        changed_at: ref('excluded.changed_at'),
      })),
    )
    .execute()
}

/** Returns how many were deleted. */
export async function deleteExpiredRateLimits(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('rate_limits')
    .where('expires_at', '<=', now)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
