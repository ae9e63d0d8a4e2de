import { type Kysely, sql } from 'kysely'

/**
 * Invoices, credit notes and their cancellations as they were issued, and the self-billed documents
 * of partners. A row without `document` waits: `problems` says what it lacks. Once issued it is
 * never changed or deleted. `source` is the object that it is about: of the payment processor, or a
 * payout.
 *
 * `billing_address`: the postal address that the law wants on an invoice.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table billing_documents (
      tenant_id uuid not null references tenants,
      id uuid not null default new_id(),
      invoice_id uuid not null references invoices,
      source text not null,
      kind text not null check (kind in ('invoice', 'credit_note')),
      cancels boolean not null,
      number text,
      document jsonb,
      problems text[] not null default '{}',
      created_at timestamptz not null default now(),
      checked_at timestamptz not null default now(),
      issued_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, source),
      check ((document is null) = (issued_at is null) and (document is null or number is not null))
    )`.execute(db)
  await sql`create index billing_documents_invoice on billing_documents (invoice_id)`.execute(db)
  await sql`create index billing_documents_waiting on billing_documents (checked_at) where document is null`.execute(
    db,
  )
  await sql`
    create table partner_documents (
      partner_id uuid not null references partners,
      id uuid not null default new_id(),
      payout_id uuid not null references payouts,
      cancels boolean not null,
      number text,
      document jsonb,
      problems text[] not null default '{}',
      created_at timestamptz not null default now(),
      checked_at timestamptz not null default now(),
      issued_at timestamptz,
      primary key (partner_id, id),
      unique (partner_id, payout_id, cancels),
      check ((document is null) = (issued_at is null) and (document is null or number is not null))
    )`.execute(db)
  await sql`create unique index partner_documents_number on partner_documents (number)`.execute(db)
  await sql`create index partner_documents_waiting on partner_documents (checked_at) where document is null`.execute(
    db,
  )
  await sql`
    create function reject_document_change() returns trigger language plpgsql as $$
    begin
      raise exception 'an issued document is never changed (% rejected)', tg_op using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  for (const table of ['billing_documents', 'partner_documents']) {
    await sql`create trigger ${sql.ref(`${table}_issued`)} before update or delete on ${sql.table(table)}
      for each row when (old.document is not null) execute function reject_document_change()`.execute(
      db,
    )
    await sql`create trigger ${sql.ref(`${table}_no_truncate`)} before truncate on ${sql.table(table)}
      for each statement execute function reject_document_change()`.execute(db)
  }
  await sql`grant select, insert, update on billing_documents, partner_documents to atrium_app`.execute(
    db,
  )
  await sql`alter table tenants add column billing_address jsonb`.execute(db)
  await sql`alter table partners add column billing_address jsonb`.execute(db)
}
