import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

export interface StorageRow {
  id: string
  email: string
  name: string
  value: UsageEntry | null
  failure: string | null
  readAt: Date | null
}

/**
 * The value of a `file_usage` reading: bytes in the person's own space, or null when there is no
 * account.
 */
export interface UsageEntry {
  bytes: number | null
}

const from = (tenantId: string) => sql`
  from memberships m join users u on u.id = m.user_id
    left join user_readings r on r.user_id = m.user_id and r.kind = 'file_usage'
  where m.tenant_id = ${tenantId}`

/**
 * Members with the use of their own space as last read, by user id, newest first, one row more than
 * asked.
 */
export async function listStorage(
  db: Db,
  tenantId: string,
  page: { before?: string | undefined; limit: number },
): Promise<StorageRow[]> {
  const { rows } = await sql<StorageRow>`
    select u.id, u.email, u.name, r.value, r.failure, r.read_at as "readAt"
    ${from(tenantId)} ${page.before ? sql`and m.user_id < ${page.before}` : sql``}
    order by m.user_id desc limit ${page.limit + 1}`.execute(db)
  return rows
}

export interface StorageCounts {
  members: number
  /** Members of whom it is known what they store, those without an account included. */
  known: number
  unknown: number
  /** Bytes of those who are known. */
  used: number
}

export async function countStorage(db: Db, tenantId: string): Promise<StorageCounts> {
  const { rows } = await sql<StorageCounts>`
    select count(*) as members, count(r.value) as known, count(*) - count(r.value) as unknown,
      coalesce(sum((r.value->>'bytes')::float8), 0) as used
    ${from(tenantId)}`.execute(db)
  return rows[0] ?? { members: 0, known: 0, unknown: 0, used: 0 }
}

export async function findFileSpaceId(db: Db, tenantId: string): Promise<string | null> {
  const row = await db
    .selectFrom('tenants')
    .select('file_space_id')
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row?.file_space_id ?? null
}
