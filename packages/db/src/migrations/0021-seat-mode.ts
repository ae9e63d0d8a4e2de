import { type Kysely, sql } from 'kysely'

/** Whether a tenant without a free seat refuses a further member or takes one more seat. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table tenants add column seat_mode text not null default 'fixed'`.execute(db)
  await sql`alter table tenants add constraint tenants_seat_mode_known check (seat_mode in ('fixed', 'auto')) not valid`.execute(
    db,
  )
  await sql`alter table tenants validate constraint tenants_seat_mode_known`.execute(db)
}
