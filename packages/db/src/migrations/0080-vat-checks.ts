import { type Kysely, sql } from 'kysely'

/**
 * `vat_checks`: what the EU's register answered about VAT numbers, kept as evidence for sales that
 * were taxed by it. `vat_check_tasks`: whose number is to be asked about next, and when.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table vat_checks (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      vat_number text not null,
      valid boolean not null,
      name text,
      address text,
      consultation_number text,
      requester text,
      answered_at timestamptz not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index vat_checks_newest on vat_checks (tenant_id, vat_number, id desc)`.execute(
    db,
  )
  await sql`
    create table vat_check_tasks (
      tenant_id uuid primary key references tenants on delete cascade,
      next_at timestamptz not null,
      attempts integer not null default 0,
      error text,
      failed_at timestamptz
    )`.execute(db)
  await sql`create index vat_check_tasks_due on vat_check_tasks (next_at)`.execute(db)
  await sql`grant select, insert on vat_checks to atrium_app`.execute(db)
  await sql`grant select, insert, update, delete on vat_check_tasks to atrium_app`.execute(db)
}
