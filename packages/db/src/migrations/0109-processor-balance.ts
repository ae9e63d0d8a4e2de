import { type Kysely, sql } from 'kysely'

/**
 * `balance_transactions` and `processor_payouts`: what moved the balance that the payment processor
 * keeps for us, and what it sent to the bank. Of the platform, not of a tenant.
 * `processor_balances`: what the processor said is on it. `balance_readings`: one row, how far it
 * was read.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table balance_transactions (
      id text primary key,
      type text not null,
      category text not null,
      currency text not null,
      amount bigint not null,
      fee bigint not null,
      net bigint not null,
      exchange_rate numeric,
      created_at timestamptz not null,
      available_at timestamptz not null,
      source_id text,
      payment_intent_id text,
      source_currency text,
      source_amount bigint,
      stripe_invoice_id text,
      payout_id text,
      check (net = amount - fee)
    )`.execute(db)
  await sql`create index balance_transactions_created on balance_transactions (created_at, id)`.execute(
    db,
  )
  await sql`create index balance_transactions_source on balance_transactions (source_id)`.execute(
    db,
  )
  await sql`create index balance_transactions_payment on balance_transactions (payment_intent_id)`.execute(
    db,
  )
  await sql`create index balance_transactions_invoice on balance_transactions (stripe_invoice_id)`.execute(
    db,
  )
  await sql`create index balance_transactions_payout on balance_transactions (payout_id)`.execute(
    db,
  )
  await sql`
    create table processor_payouts (
      id text primary key,
      currency text not null,
      amount bigint not null,
      status text not null,
      automatic boolean not null,
      created_at timestamptz not null,
      arrives_at timestamptz not null,
      -- Its transactions are known.
      assigned boolean not null default false
    )`.execute(db)
  await sql`create index processor_payouts_created on processor_payouts (created_at, id)`.execute(
    db,
  )
  await sql`
    create table processor_balances (
      currency text primary key,
      amount bigint not null,
      read_at timestamptz not null
    )`.execute(db)
  await sql`
    create table balance_readings (
      one boolean primary key default true check (one),
      read_until timestamptz not null,
      finished_at timestamptz,
      error text
    )`.execute(db)
  await sql`grant select, insert, update on balance_transactions, processor_payouts, processor_balances, balance_readings to atrium_app`.execute(
    db,
  )
}
