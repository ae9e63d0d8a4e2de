import { type Kysely, sql } from 'kysely'

/**
 * `events_since`: from when on the nightly comparison read the processor's events to their end;
 * null where it did not get there. `lost_events`: those of them that no webhook had told of.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table billing_reconciliations
    add column lost_events integer not null default 0,
    add column events_since timestamptz`.execute(db)
}
