import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/**
 * The value of a `file_usage` reading: bytes in the person's own space, or null when there is no
 * account.
 */
export interface UsageEntry {
  bytes: number | null
}

const membersOf = (db: Db, tenantId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .leftJoin('user_readings as r', (join) =>
      join.onRef('r.user_id', '=', 'm.user_id').on('r.kind', '=', 'file_usage'),
    )
    .where('m.tenant_id', '=', tenantId)

/**
 * Members with the use of their own space as last read, by user id, newest first, one row more than
 * requested.
 */
export function listStorage(
  db: Db,
  tenantId: string,
  page: { before?: string | undefined; limit: number },
) {
  return membersOf(db, tenantId)
    .select(({ ref }) => [
      'u.id',
      'u.email',
      'u.name',
      ref('r.value').$castTo<UsageEntry | null>().as('value'),
      'r.failure',
      'r.read_at as readAt',
    ])
    .$if(page.before !== undefined, (query) => query.where('m.user_id', '<', page.before ?? ''))
    .orderBy('m.user_id', 'desc')
    .limit(page.limit + 1)
    .execute()
}

export type StorageRow = Awaited<ReturnType<typeof listStorage>>[number]

/**
 * Counts the members whose use is known (those without an account too) and unknown, and sums the
 * known bytes.
 */
export function countStorage(db: Db, tenantId: string) {
  const bytes = sql<number>`(r.value->>'bytes')::float8`
  return membersOf(db, tenantId)
    .select(({ eb, fn, lit }) => [
      fn.countAll<number>().as('members'),
      fn.count<number>('r.value').as('known'),
      eb(fn.countAll<number>(), '-', fn.count<number>('r.value')).as('unknown'),
      fn.coalesce(fn.sum<number>(bytes), lit(0)).as('used'),
    ])
    .executeTakeFirstOrThrow()
}

export async function findFileSpaceId(db: Db, tenantId: string): Promise<string | null> {
  const row = await db
    .selectFrom('tenants')
    .select('file_space_id')
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row?.file_space_id ?? null
}
