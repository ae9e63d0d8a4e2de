import type { Db } from '@atrium/db/platform/connect'
import type { AccessGrantsTable } from '@atrium/db/schema/access-grants'
import type { Insertable } from 'kysely'

type Grant = Insertable<AccessGrantsTable>

/** Inserts an access to a tenant from `now` on, an active one of an admin. Returns its id. */
export async function insertAccessGrant(
  db: Db,
  now: Date,
  grant: Pick<Grant, 'tenant_id' | 'user_id' | 'partner_id' | 'scopes'> & Partial<Grant>,
): Promise<string> {
  const later = new Date(now.getTime() + 3_600_000)
  const { id } = await db
    .insertInto('access_grants')
    .values({
      kind: 'requested',
      status: 'active',
      role: 'admin',
      reason: 'A test',
      requested_at: now,
      expires_at: later,
      ends_at: later,
      ...grant,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
