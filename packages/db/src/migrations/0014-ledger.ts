import { type Kysely, sql } from 'kysely'

/** What partners earned, entry by entry, and what was paid out to them. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table partner_ledger (
      id uuid primary key default new_id(),
      partner_id uuid not null references partners,
      currency text not null check (currency ~ '^[a-z]{3}$'),
      type text not null check (type in ('accrual', 'clawback', 'clawback_reversal', 'dispute_hold', 'dispute_release',
        'adjustment', 'payout', 'payout_reversal')),
      amount bigint not null,
      base_amount bigint,
      margin_pct numeric(5,2),
      tenant_id uuid references tenants,
      invoice_id uuid references invoices,
      source_type text not null check (source_type in ('invoice', 'refund', 'credit_note', 'dispute', 'manual', 'payout')),
      -- The record behind the entry, with a counter where one record causes several entries of a type.
      source_id text not null,
      reason text,
      created_by text,
      available_at timestamptz not null,
      created_at timestamptz not null default now(),
      unique (source_type, source_id, type, partner_id),
      check (case type
        when 'accrual' then amount >= 0 when 'clawback_reversal' then amount >= 0 when 'dispute_release' then amount >= 0
        when 'payout_reversal' then amount >= 0 when 'clawback' then amount <= 0 when 'dispute_hold' then amount <= 0
        when 'payout' then amount <= 0 else true end)
    )`.execute(db)
  await sql`create index partner_ledger_partner on partner_ledger (partner_id, currency, id desc)`.execute(
    db,
  )
  await sql`create index partner_ledger_invoice on partner_ledger (invoice_id) where invoice_id is not null`.execute(
    db,
  )
  await sql`
    create function refuse_ledger_change() returns trigger language plpgsql as $$
    begin
      raise exception 'ledger entries are append-only (% refused)', tg_op using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create trigger partner_ledger_append_only before update or delete on partner_ledger
      for each row execute function refuse_ledger_change()`.execute(db)
  await sql`
    create trigger partner_ledger_no_truncate before truncate on partner_ledger
      for each statement execute function refuse_ledger_change()`.execute(db)

  await sql`
    create table payouts (
      id uuid primary key default new_id(),
      partner_id uuid not null references partners,
      currency text not null check (currency ~ '^[a-z]{3}$'),
      amount bigint not null check (amount > 0),
      status text not null check (status in ('draft', 'held', 'approved', 'in_transit', 'paid', 'failed', 'canceled')),
      period_from timestamptz,
      period_to timestamptz not null,
      statement_number text unique,
      held_reason text,
      requested_by text,
      approved_by text,
      approved_at timestamptz,
      sent_at timestamptz,
      paid_at timestamptz,
      canceled_at timestamptz,
      reference text,
      failure_reason text,
      -- What the statement says, as it was when the payout was paid for the first time.
      statement jsonb,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create unique index payouts_one_open on payouts (partner_id, currency)
      where status in ('draft', 'held', 'approved', 'in_transit', 'failed')`.execute(db)
  await sql`create index payouts_newest on payouts (id desc)`.execute(db)
  await sql`create index payouts_partner on payouts (partner_id, id desc)`.execute(db)

  // Beside the entries, which never change. An entry is in one payout at most; canceling a payout
  // frees its entries.
  await sql`
    create table payout_entries (
      entry_id uuid primary key references partner_ledger,
      payout_id uuid not null references payouts on delete cascade
    )`.execute(db)
  await sql`create index payout_entries_payout on payout_entries (payout_id)`.execute(db)

  // At the end of every transaction a payout is worth exactly its entries, which are its partner's
  // and of its currency; canceled, it has none.
  await sql`
    create function check_payout_sum() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      p payouts%rowtype;
      linked bigint;
      foreign_entries bigint;
    begin
      select * into p from payouts where id = new.id;
      if not found then return null; end if;
      select coalesce(sum(l.amount), 0), count(*) filter (where l.partner_id <> p.partner_id or l.currency <> p.currency
          or l.type in ('payout', 'payout_reversal'))
        into linked, foreign_entries
        from payout_entries e join partner_ledger l on l.id = e.entry_id where e.payout_id = new.id;
      if foreign_entries > 0 or linked <> (case when p.status = 'canceled' then 0 else p.amount end) then
        raise exception 'payout % of % is not the sum of its entries (%)', new.id, p.amount, linked using errcode = 'integrity_constraint_violation';
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create constraint trigger payout_sum after insert or update on payouts deferrable initially deferred
      for each row execute function check_payout_sum()`.execute(db)
  // Once per statement and payout, not once per entry: a payout may have thousands.
  await sql`
    create function touch_payouts_of_entries() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      update payouts set version = version where id in (select payout_id from changed_entries);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger payout_entries_added after insert on payout_entries referencing new table as changed_entries
      for each statement execute function touch_payouts_of_entries()`.execute(db)
  await sql`
    create trigger payout_entries_removed after delete on payout_entries referencing old table as changed_entries
      for each statement execute function touch_payouts_of_entries()`.execute(db)

  // What operators enter by hand; above a limit it waits for a second one. The ledger has it once
  // it is entered.
  await sql`
    create table ledger_adjustments (
      id uuid primary key default new_id(),
      partner_id uuid not null references partners,
      currency text not null check (currency ~ '^[a-z]{3}$'),
      amount bigint not null check (amount <> 0),
      reason text not null,
      state text not null check (state in ('pending', 'entered', 'refused')),
      requested_by text,
      decided_by text,
      created_at timestamptz not null default now(),
      decided_at timestamptz,
      check ((state = 'pending') = (decided_at is null))
    )`.execute(db)
  await sql`create index ledger_adjustments_partner on ledger_adjustments (partner_id, id desc)`.execute(
    db,
  )
  await sql`create index ledger_adjustments_state on ledger_adjustments (state, id desc)`.execute(
    db,
  )

  await sql`grant select, insert on partner_ledger to atrium_app`.execute(db)
  await sql`grant select, insert, update on payouts, ledger_adjustments to atrium_app`.execute(db)
  await sql`grant select, insert, delete on payout_entries to atrium_app`.execute(db)
}
