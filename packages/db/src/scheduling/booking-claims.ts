import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** The time that one booking takes of one host, buffers included. */
export interface ClaimRow {
  tenantId: string
  bookingId: string
  hostId: string
  start: Date
  end: Date
  /** Bookings of one group share the time, each with a seat of its own from 1. */
  seatGroup: string
  seat: number
}

/** `booking_hosts as p`, each with its booking as `b`. */
export function selectBookingHosts(db: Db | Trx) {
  return db
    .selectFrom('booking_hosts as p')
    .innerJoin('bookings as b', (join) =>
      join.onRef('b.tenant_id', '=', 'p.tenant_id').onRef('b.id', '=', 'p.booking_id'),
    )
}

const span = ({ start, end, seatGroup, seat }: ClaimRow) => ({
  claim_start: start,
  claim_end: end,
  seat_group: seatGroup,
  seat,
})

/**
 * Locks hosts until the transaction ends, in the order of their ids, so that no two transactions
 * wait for each other. Advisory locks, because a visitor who only asks must not hold up changes of
 * the host's row.
 */
export async function lockHosts(trx: Trx, hostIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(hostIds)].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${`booking:${id}`}, 0))`.execute(trx)
}

/** An overlap violates `booking_hosts_no_overlap`, a seat that is taken `booking_hosts_seat`. */
export async function insertClaim(trx: Trx, claim: ClaimRow): Promise<void> {
  await trx
    .insertInto('booking_hosts')
    .values({
      tenant_id: claim.tenantId,
      booking_id: claim.bookingId,
      host_id: claim.hostId,
      ...span(claim),
      active: true,
    })
    .execute()
}

/** Moves a claim in one statement, so that it may overlap with its own old time. */
export async function moveClaim(trx: Trx, claim: ClaimRow): Promise<void> {
  await trx
    .updateTable('booking_hosts')
    .set(span(claim))
    .where('booking_id', '=', claim.bookingId)
    .where('host_id', '=', claim.hostId)
    .execute()
}

/** The hosts whose time the booking takes, by id. */
export async function listClaimedHosts(trx: Trx, bookingId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('booking_hosts')
    .select('host_id')
    .where('booking_id', '=', bookingId)
    .where('active', '=', true)
    .orderBy('host_id')
    .execute()
  return rows.map((row) => row.host_id)
}

/** The row of a host who loses the booking stays: it says which event has to leave the calendar. */
export async function leaveClaim(
  trx: Trx,
  bookingId: string,
  hostId: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('booking_hosts')
    .set({ active: false, left_at: now })
    .where('booking_id', '=', bookingId)
    .where('host_id', '=', hostId)
    .execute()
}

/**
 * Gives the booking to a host who joins it, and who may have had it before. The caller has locked
 * the hosts of the booking.
 */
export async function joinClaim(trx: Trx, claim: ClaimRow, now: Date): Promise<void> {
  const taken = { ...span(claim), active: true, joined_at: now }
  const { numUpdatedRows } = await trx
    .updateTable('booking_hosts')
    .set({ ...taken, left_at: null })
    .where('tenant_id', '=', claim.tenantId)
    .where('booking_id', '=', claim.bookingId)
    .where('host_id', '=', claim.hostId)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  await trx
    .insertInto('booking_hosts')
    .values({
      tenant_id: claim.tenantId,
      booking_id: claim.bookingId,
      host_id: claim.hostId,
      ...taken,
    })
    .execute()
}

/** Releases the time. The rows stay: they record which event is in which calendar. */
export async function releaseClaims(trx: Trx, bookingId: string): Promise<void> {
  await trx
    .updateTable('booking_hosts')
    .set({ active: false })
    .where('booking_id', '=', bookingId)
    .execute()
}
