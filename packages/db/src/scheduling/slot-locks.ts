import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface NewSlotLock {
  /** The same for all hosts of one lock. */
  lockId: string
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
  const { rows } = await sql<{ lockId: string }>`
    insert into slot_locks as l (lock_id, host_id, event_type_id, start_utc, end_utc, claim_start, claim_end, seat, holder_hash, address, network, expires_at, created_at)
    values (${lock.lockId}, ${lock.hostId}, ${lock.eventTypeId}, ${lock.start}, ${lock.end}, ${lock.claimStart}, ${lock.claimEnd},
      ${lock.seat}, ${lock.holderHash}, ${lock.address}, ${lock.network}, ${lock.expiresAt}, ${now})
    on conflict (host_id, start_utc, seat) do update
      set lock_id = excluded.lock_id, event_type_id = excluded.event_type_id, end_utc = excluded.end_utc, claim_start = excluded.claim_start,
        claim_end = excluded.claim_end, holder_hash = excluded.holder_hash, address = excluded.address, network = excluded.network, expires_at = excluded.expires_at,
        renewals = 0, created_at = excluded.created_at
      where l.expires_at <= ${now} or l.holder_hash = excluded.holder_hash
    returning lock_id as "lockId"`.execute(trx)
  return rows[0]?.lockId
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
  const held =
    'network' in holder ? sql`network = ${holder.network}` : sql`address = ${holder.address}`
  const { rows } = await sql<{ withHosts: number; inAll: number }>`
    select count(distinct lock_id) filter (where host_id = any(${[...hostIds]}::uuid[]))::int as "withHosts",
      count(distinct lock_id)::int as "inAll"
    from slot_locks where ${held} and expires_at > ${now}`.execute(trx)
  return rows[0] ?? { withHosts: 0, inAll: 0 }
}

export interface HeldLock {
  hostIds: string[]
  eventTypeId: string
  startAt: Date
  endAt: Date
  renewals: number
  expiresAt: Date
}

/**
 * The locks with this id for this holder, expired or not. With `trx`, its rows stay locked until it
 * ends.
 */
export async function findHeldLock(
  db: Db | Trx,
  lockId: string,
  holderHash: Buffer,
): Promise<HeldLock | undefined> {
  const { rows } = await sql<HeldLock>`
    select array_agg(host_id order by host_id) as "hostIds", event_type_id as "eventTypeId", start_utc as "startAt", end_utc as "endAt",
      max(renewals) as renewals, min(expires_at) as "expiresAt"
    from slot_locks where lock_id = ${lockId} and holder_hash = ${holderHash}
    group by event_type_id, start_utc, end_utc`.execute(db)
  return rows[0]
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
