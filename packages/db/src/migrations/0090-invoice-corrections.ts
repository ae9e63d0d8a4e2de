import { type Kysely, sql } from 'kysely'

/**
 * `invoice_corrections`: what operators do to invoices, from the request on. The payment processor
 * is called after the row is there, so a correction whose answer is lost is found and finished.
 *
 * `invoice_reversals`: the parts of a credit note, and the refunds that belong to it. Null for rows
 * from before; the next reading of the credit note fills them in.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table invoice_corrections (
      id uuid primary key default new_id(),
      request_id uuid not null unique,
      invoice_id uuid not null references invoices,
      tenant_id uuid not null references tenants,
      kind text not null check (kind in ('credit', 'write_off', 'void', 'transfer')),
      destination text check (destination in ('card', 'balance', 'outside')),
      category text,
      currency text not null,
      amount bigint not null check (amount >= 0),
      reason text not null,
      reference text,
      paid_on date,
      state text not null check (state in ('pending', 'approved', 'done', 'failed', 'rejected')),
      error text,
      credit_note_id text,
      attempts integer not null default 0,
      next_at timestamptz,
      lease_until timestamptz,
      requested_by text,
      decided_by text,
      created_at timestamptz not null default now(),
      decided_at timestamptz,
      finished_at timestamptz
    )`.execute(db)
  await sql`create index invoice_corrections_invoice on invoice_corrections (invoice_id, id desc)`.execute(
    db,
  )
  await sql`create index invoice_corrections_tenant on invoice_corrections (tenant_id, id desc)`.execute(
    db,
  )
  await sql`create index invoice_corrections_state on invoice_corrections (state, id desc)`.execute(
    db,
  )
  await sql`create index invoice_corrections_due on invoice_corrections (next_at) where state = 'approved'`.execute(
    db,
  )
  await sql`grant select, insert, update on invoice_corrections to atrium_app`.execute(db)
  await sql`
    alter table invoice_reversals
      add column number text,
      add column total bigint,
      add column balance_amount bigint,
      add column outside_amount bigint,
      add column refund_ids text[]`.execute(db)
}
