import { type Kysely, sql } from 'kysely'

/**
 * The organizer's address that the invitations of a booking bear; null for one whose program did
 * not keep it yet.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table bookings add column organizer text`.execute(db)
}
