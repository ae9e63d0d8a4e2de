import type { Db } from '../platform/connect.ts'

/** A value that `encryption.ts` sealed, with the id of its row. */
export interface SealedValue {
  id: string
  sealed: Buffer
}

/** Secrets of hosts' mailboxes, by host id. */
export async function listMailCredentials(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<SealedValue[]> {
  let query = db.selectFrom('mail_credentials').select(['host_id as id', 'secret as sealed'])
  if (after !== undefined) query = query.where('host_id', '>', after)
  return query.orderBy('host_id').limit(limit).execute()
}

/** Writes a secret again unless it was replaced since it was read. */
export async function resealMailCredential(
  db: Db,
  hostId: string,
  before: Buffer,
  after: Buffer,
): Promise<boolean> {
  const result = await db
    .updateTable('mail_credentials')
    .set({ secret: after })
    .where('host_id', '=', hostId)
    .where('secret', '=', before)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Tokens of manage links that are not erased yet, by booking id. */
export async function listSealedLinks(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<SealedValue[]> {
  let query = db
    .selectFrom('bookings')
    .select(['id', 'manage_sealed as sealed'])
    .where('manage_sealed', 'is not', null)
  if (after !== undefined) query = query.where('id', '>', after)
  const rows = await query.orderBy('id').limit(limit).execute()
  return rows.flatMap(({ id, sealed }) => (sealed ? [{ id, sealed }] : []))
}

/**
 * Writes a token again unless it was replaced or erased since it was read. No change of the
 * booking: its version stays.
 */
export async function resealLink(
  db: Db,
  bookingId: string,
  before: Buffer,
  after: Buffer,
): Promise<boolean> {
  const result = await db
    .updateTable('bookings')
    .set({ manage_sealed: after })
    .where('id', '=', bookingId)
    .where('manage_sealed', '=', before)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
