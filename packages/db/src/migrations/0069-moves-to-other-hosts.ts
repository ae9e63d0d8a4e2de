import { type Kysely, sql } from 'kysely'

/**
 * Moves that give a booking to another host of its round robin.
 *
 * `reschedule_host`: whether a moved booking keeps its host (`same`, as before) or may get another
 * one (`any`). No check: it would be validated under the lock of this change; the API checks input.
 *
 * `joined_at`: when a host got the booking by a move. `left_at`: when a move took it from the host.
 * The row of a former host stays, because it says which event has to leave that host's calendar.
 * `from_host_id` and `to_host_id` tell such a move in the history of the booking.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table event_types add column reschedule_host text not null default 'same'`.execute(
    db,
  )
  await sql`alter table booking_hosts add column joined_at timestamptz, add column left_at timestamptz`.execute(
    db,
  )
  await sql`alter table booking_changes add column from_host_id uuid, add column to_host_id uuid`.execute(
    db,
  )
}
