import { type Kysely, sql } from 'kysely'

/** Tables whose rows are parts of a row that has the tenant, with their reference to it. */
export const parts = [
  { table: 'member_import_rows', column: 'import_id', whole: 'member_imports' },
  { table: 'mail_list_recipients', column: 'list_id', whole: 'mail_lists' },
  { table: 'domain_checks', column: 'domain_id', whole: 'domains' },
  { table: 'invoice_reversals', column: 'invoice_id', whole: 'invoices' },
  { table: 'booking_hosts', column: 'booking_id', whole: 'bookings' },
  { table: 'booking_changes', column: 'booking_id', whole: 'bookings' },
  { table: 'booking_reminders', column: 'booking_id', whole: 'bookings' },
  { table: 'event_type_hosts', column: 'event_type_id', whole: 'event_types' },
  { table: 'slot_locks', column: 'host_id', whole: 'hosts' },
  { table: 'mail_credentials', column: 'host_id', whole: 'hosts' },
  { table: 'app_password_removals', column: 'host_id', whole: 'hosts' },
] as const

/**
 * `tenant_id` of parts, so that they can be distributed with their whole. A trigger sets it for the
 * version before, which does not know the column; a statement that names the tenant does not run
 * it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create function take_tenant_of_whole() returns trigger language plpgsql as $$
    begin
      execute format('select tenant_id from %I where id = ($1).%I', tg_argv[0], tg_argv[1])
        into new.tenant_id using new;
      return new;
    end $$`.execute(db)
  for (const { table, column, whole } of parts) {
    await sql`alter table ${sql.table(table)} add column tenant_id uuid`.execute(db)
    await sql`
      create trigger take_tenant_of_whole before insert on ${sql.table(table)}
        for each row when (new.tenant_id is null)
        execute function take_tenant_of_whole(${sql.lit(whole)}, ${sql.lit(column)})`.execute(db)
  }
}
