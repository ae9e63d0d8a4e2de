import { type Kysely, sql } from 'kysely'

/**
 * What the payment processor told us: customers, its events, invoices and what was given back of
 * them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table payment_customers (
      tenant_id uuid primary key references tenants,
      -- Null once the customer was deleted at the processor, until the next one is made.
      customer_id text unique,
      former_ids text[] not null default '{}',
      card jsonb,
      card_read_at timestamptz,
      -- A card that was chosen earlier does not take the place of one that was chosen later.
      card_chosen_at timestamptz,
      card_failure text,
      card_failure_at timestamptz,
      tax_id text,
      tax_id_value text,
      tax_id_status text,
      tax_id_read_at timestamptz,
      created_at timestamptz not null default now()
    )`.execute(db)

  await sql`
    create table webhook_inbox (
      id text primary key,
      type text not null,
      object_id text,
      api_version text,
      created timestamptz not null,
      livemode boolean not null,
      payload jsonb not null,
      state text not null default 'received' check (state in
        ('received', 'applied', 'skipped', 'stale', 'ignored_mode', 'failed', 'parked')),
      attempts integer not null default 0,
      next_at timestamptz,
      lease_until timestamptz,
      note text,
      received_at timestamptz not null default now(),
      finished_at timestamptz
    )`.execute(db)
  await sql`create index payment_customers_former on payment_customers using gin (former_ids)`.execute(
    db,
  )
  await sql`create index webhook_inbox_due on webhook_inbox (next_at) where state in ('received', 'failed')`.execute(
    db,
  )
  await sql`create index webhook_inbox_newest on webhook_inbox (received_at desc, id desc)`.execute(
    db,
  )
  await sql`create index webhook_inbox_state on webhook_inbox (state, received_at desc, id desc)`.execute(
    db,
  )

  await sql`
    create table invoices (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      stripe_invoice_id text not null unique,
      stripe_subscription_id text,
      number text,
      status text not null check (status in ('draft', 'open', 'paid', 'uncollectible', 'void', 'unknown')),
      billing_reason text,
      currency text not null check (currency ~ '^[a-z]{3}$'),
      subtotal bigint not null,
      discount bigint not null default 0,
      tax bigint not null default 0,
      total bigint not null,
      total_excluding_tax bigint not null,
      amount_due bigint not null,
      amount_paid bigint not null,
      amount_remaining bigint not null,
      amount_overpaid bigint not null default 0,
      credited_amount bigint not null default 0,
      refunded_amount bigint not null default 0,
      disputed_amount bigint not null default 0,
      period_start timestamptz,
      period_end timestamptz,
      due_date timestamptz,
      next_payment_attempt timestamptz,
      attempt_count integer not null default 0,
      finalized_at timestamptz,
      paid_at timestamptz,
      voided_at timestamptz,
      uncollectible_at timestamptz,
      -- Who earns from it and how much, as of the day it was finalized.
      partner_id uuid references partners,
      margin_pct numeric(5,2),
      lines jsonb not null default '[]',
      created_at timestamptz not null,
      read_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index invoices_tenant on invoices (tenant_id, finalized_at desc nulls first, id desc)`.execute(
    db,
  )
  await sql`create index invoices_partner on invoices (partner_id, finalized_at desc) where partner_id is not null`.execute(
    db,
  )
  await sql`create index invoices_open on invoices (finalized_at) where status = 'open'`.execute(db)
  await sql`create index invoices_paid on invoices (paid_at) where paid_at is not null`.execute(db)

  await sql`
    create table invoice_reversals (
      -- The payment processor's id of the refund, credit note or dispute.
      id text primary key,
      invoice_id uuid not null references invoices,
      kind text not null check (kind in ('refund', 'credit_note', 'dispute')),
      amount bigint not null check (amount >= 0),
      amount_excluding_tax bigint check (amount_excluding_tax >= 0),
      status text not null,
      -- Money went back, or is held back, at this moment.
      effective boolean not null,
      created_at timestamptz not null,
      read_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index invoice_reversals_invoice on invoice_reversals (invoice_id)`.execute(db)

  await sql`
    create table dunning_cases (
      id uuid primary key default new_id(),
      subscription_id uuid not null references subscriptions,
      tenant_id uuid not null references tenants,
      past_due_since timestamptz not null,
      reminded_days integer[] not null default '{}',
      limited_at timestamptz,
      suspended_at timestamptz,
      closed_at timestamptz,
      outcome text check (outcome in ('recovered', 'ended')),
      created_at timestamptz not null default now(),
      check ((closed_at is null) = (outcome is null))
    )`.execute(db)
  await sql`create unique index dunning_cases_open on dunning_cases (subscription_id) where closed_at is null`.execute(
    db,
  )

  await sql`
    create table billing_reconciliations (
      id uuid primary key default new_id(),
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      tenants integer not null default 0,
      failed integer not null default 0,
      error text
    )`.execute(db)
  await sql`
    create table billing_differences (
      id uuid primary key default new_id(),
      reconciliation_id uuid not null references billing_reconciliations on delete cascade,
      tenant_id uuid not null references tenants,
      object_type text not null check (object_type in ('subscription', 'invoice')),
      object_id text not null,
      kind text not null check (kind in ('missing_here', 'missing_there', 'differs')),
      fields jsonb not null default '{}',
      repaired boolean not null,
      found_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index billing_differences_newest on billing_differences (reconciliation_id, id desc)`.execute(
    db,
  )

  await sql`grant select, insert, update on dunning_cases to atrium_app`.execute(db)
  await sql`grant select, insert, update, delete on billing_reconciliations, billing_differences to atrium_app`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on payment_customers to atrium_app`.execute(db)
  await sql`grant select, insert, update on webhook_inbox, invoices, invoice_reversals to atrium_app`.execute(
    db,
  )
}
