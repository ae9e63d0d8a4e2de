import { type Kysely, sql } from 'kysely'

/**
 * `calendar_start` and `calendar_end`: the period that was last written into the host's calendar;
 * null for events that an earlier version of the program wrote.
 *
 * `visitor_confirmed_at`: when the visitor confirmed the own address, which lets the guests be
 * invited. Bookings that exist already, and those that earlier versions still make beside this one,
 * have invited their guests: for them the default stands. Null while the address is unconfirmed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table booking_hosts add column calendar_start timestamptz, add column calendar_end timestamptz`.execute(
    db,
  )
  await sql`alter table bookings add column visitor_confirmed_at timestamptz default now()`.execute(
    db,
  )
}
