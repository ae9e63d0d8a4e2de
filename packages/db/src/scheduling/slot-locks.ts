import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface NewSlotLock {
  /** The same for all hosts of one lock. */
  lockId: string
  tenantId: string
  hostId: string
  eventTypeId: string
  start: Date
  end: Date
  claimStart: Date
  claimEnd: Date
  /** From 1; above 1 only where several visitors share a start. */
  seat: number
  holderHash: Buffer
  address: string
  /** IPv6 /48 of the holder; null for IPv4. */
  network: string | null
  expiresAt: Date
}

/**
 * Undefined when another caller holds this place of the host's start and has not released it by
 * `now`.
 */
export async function takeSlotLock(
  trx: Trx,
  lock: NewSlotLock,
  now: Date,
): Promise<string | undefined> {
  const hold = {
    lock_id: lock.lockId,
    event_type_id: lock.eventTypeId,
    end_utc: lock.end,
    claim_start: lock.claimStart,
    claim_end: lock.claimEnd,
    holder_hash: lock.holderHash,
    address: lock.address,
    network: lock.network,
    expires_at: lock.expiresAt,
    created_at: now,
  }
  const inserted = await trx
    .insertInto('slot_locks')
    .values({
      tenant_id: lock.tenantId,
      host_id: lock.hostId,
      start_utc: lock.start,
      seat: lock.seat,
      ...hold,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('lock_id as lockId')
    .executeTakeFirst()
  if (inserted) return inserted.lockId
  const taken = await trx
    .updateTable('slot_locks')
    .set({ ...hold, renewals: 0 })
    .where('tenant_id', '=', lock.tenantId)
    .where('host_id', '=', lock.hostId)
    .where('start_utc', '=', lock.start)
    .where('seat', '=', lock.seat)
    .where(({ eb, or }) =>
      or([eb('expires_at', '<=', now), eb('holder_hash', '=', lock.holderHash)]),
    )
    .returning('lock_id as lockId')
    .executeTakeFirst()
  return taken?.lockId
}

/** Places of one start that are held by others and not free again. */
export async function heldSeats(
  trx: Trx,
  hostId: string,
  start: Date,
  now: Date,
): Promise<number[]> {
  const rows = await trx
    .selectFrom('slot_locks')
    .select('seat')
    .where('host_id', '=', hostId)
    .where('start_utc', '=', start)
    .where('expires_at', '>', now)
    .execute()
  return rows.map(({ seat }) => seat)
}

/**
 * Serializes counting and taking locks for this address or IPv6 /48 until the transaction ends. An
 * advisory lock, because there may be no row yet.
 */
export async function lockHolder(trx: Trx, holder: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`slot-locks:${holder}`}, 0))`.execute(
    trx,
  )
}

/**
 * How many starts an address, or an IPv6 /48, holds now: with one of these hosts, and in total. A
 * lock on several hosts counts once.
 */
export async function countLocksOf(
  trx: Trx,
  holder: { address: string } | { network: string },
  hostIds: readonly string[],
  now: Date,
): Promise<{ withHosts: number; inAll: number }> {
  const [column, value] =
    'network' in holder
      ? (['network', holder.network] as const)
      : (['address', holder.address] as const)
  return trx
    .selectFrom('slot_locks')
    .select(({ fn, val }) => [
      fn
        .count<number>('lock_id')
        .distinct()
        .filterWhere('host_id', '=', fn.any(val([...hostIds])))
        .as('withHosts'),
      fn.count<number>('lock_id').distinct().as('inAll'),
    ])
    .where(column, '=', value)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
}

/** The locks with this id for this holder, expired or not. */
export function findHeldLock(db: Db | Trx, lockId: string, holderHash: Buffer) {
  return db
    .selectFrom('slot_locks')
    .select(({ fn }) => [
      sql<string[]>`array_agg(host_id order by host_id)`.as('hostIds'),
      'event_type_id as eventTypeId',
      'start_utc as startAt',
      'end_utc as endAt',
      fn.max('renewals').as('renewals'),
      fn.min('expires_at').as('expiresAt'),
    ])
    .where('lock_id', '=', lockId)
    .where('holder_hash', '=', holderHash)
    .groupBy(['event_type_id', 'start_utc', 'end_utc'])
    .executeTakeFirst()
}

/** The hosts that this holder holds the start with; none where the hold is over. */
export async function hostsHeld(
  db: Db | Trx,
  holderHash: Buffer,
  eventTypeId: string,
  start: Date,
  now: Date,
): Promise<string[]> {
  const rows = await db
    .selectFrom('slot_locks')
    .select('host_id')
    .where('holder_hash', '=', holderHash)
    .where('event_type_id', '=', eventTypeId)
    .where('start_utc', '=', start)
    .where('expires_at', '>', now)
    .execute()
  return rows.map((row) => row.host_id)
}

/** False when the lock is another's, over, or was renewed as often as it may be. */
export async function renewSlotLock(
  db: Db,
  lock: { lockId: string; holderHash: Buffer; mostRenewals: number; now: Date; expiresAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('slot_locks')
    .set((row) => ({ expires_at: lock.expiresAt, renewals: row('renewals', '+', 1) }))
    .where('lock_id', '=', lock.lockId)
    .where('holder_hash', '=', lock.holderHash)
    .where('expires_at', '>', lock.now)
    .where('renewals', '<', lock.mostRenewals)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** All that this holder holds, or the one lock alone. */
export async function deleteSlotLocks(
  db: Db | Trx,
  holderHash: Buffer,
  lockId?: string,
): Promise<void> {
  let query = db.deleteFrom('slot_locks').where('holder_hash', '=', holderHash)
  if (lockId !== undefined) query = query.where('lock_id', '=', lockId)
  await query.execute()
}

/** Deletes expired locks, which block no one, to free their space. Returns how many. */
export async function deleteExpiredSlotLocks(db: Db, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('slot_locks')
    .where('expires_at', '<=', now)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
