import { type Kysely, sql } from 'kysely'

/**
 * Orders and changes of a partner that charge its customer: `partner_approvals` has what was asked
 * for and what became of it, `partner_spending_limits` what the customer's owner agreed to
 * beforehand. Amounts are minor units without tax.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table partner_approvals (
      tenant_id uuid not null references tenants,
      id uuid not null default new_id(),
      partner_id uuid not null references partners,
      kind text not null check (kind in ('start', 'change')),
      status text not null check (status in ('pending', 'approved', 'declined', 'expired', 'replaced', 'within_limit')),
      currency text not null,
      before_terms jsonb,
      after_terms jsonb not null,
      -- The price of the catalog; null for amounts that were agreed by hand.
      price_id uuid references prices on delete set null,
      added_amount bigint not null check (added_amount > 0),
      requested_by uuid references users on delete set null,
      requested_at timestamptz not null,
      expires_at timestamptz not null,
      decided_by uuid references users on delete set null,
      decided_at timestamptz,
      reason text,
      version integer not null default 1,
      primary key (tenant_id, id),
      check ((kind = 'start') = (before_terms is null)),
      check ((status = 'pending') = (decided_at is null))
    )`.execute(db)
  await sql`create unique index partner_approvals_one_pending on partner_approvals (tenant_id) where status = 'pending'`.execute(
    db,
  )
  await sql`create index partner_approvals_due on partner_approvals (expires_at) where status = 'pending'`.execute(
    db,
  )
  for (const column of ['partner_id', 'price_id', 'requested_by', 'decided_by']) {
    await sql`create index ${sql.id(`partner_approvals_${column}`)} on partner_approvals (${sql.id(column)}) where ${sql.id(column)} is not null`.execute(
      db,
    )
  }
  await sql`
    create table partner_spending_limits (
      tenant_id uuid primary key references tenants,
      -- A limit holds for this partner alone, not for one that the tenant moves to later.
      partner_id uuid not null references partners,
      currency text not null,
      amount bigint not null check (amount > 0),
      set_by uuid references users on delete set null,
      set_at timestamptz not null
    )`.execute(db)
  for (const column of ['partner_id', 'set_by']) {
    await sql`create index ${sql.id(`partner_spending_limits_${column}`)} on partner_spending_limits (${sql.id(column)}) where ${sql.id(column)} is not null`.execute(
      db,
    )
  }
  await sql`grant select, insert, update on partner_approvals to atrium_app`.execute(db)
  await sql`grant select, insert, update, delete on partner_spending_limits to atrium_app`.execute(
    db,
  )
}
