import type { BalanceTransaction } from '@atrium/core/billing/payment-records'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface NewBalanceTransaction extends BalanceTransaction {
  /** The processor's id of the invoice that the payment belongs to. */
  stripeInvoiceId: string | null
}

/** Of these ids those that are not kept yet. */
export async function unknownTransactions(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const kept = await db
    .selectFrom('balance_transactions')
    .select('id')
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .execute()
  return new Set(ids).difference(new Set(kept.map(({ id }) => id)))
}

/** The invoice of a payment, from a movement that is kept already. */
export async function invoiceOfKeptPayment(
  db: Db,
  paymentIntentId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('balance_transactions')
    .select('stripe_invoice_id as invoiceId')
    .where('payment_intent_id', '=', paymentIntentId)
    .where('stripe_invoice_id', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row?.invoiceId ?? undefined
}

/** Keeps each once: what the processor wrote down does not change. */
export async function insertTransactions(
  db: Db,
  transactions: readonly NewBalanceTransaction[],
): Promise<void> {
  if (transactions.length === 0) return
  await db
    .insertInto('balance_transactions')
    .values(
      transactions.map((one) => ({
        id: one.id,
        type: one.type,
        category: one.category,
        currency: one.currency,
        amount: one.amount,
        fee: one.fee,
        net: one.net,
        exchange_rate: one.exchangeRate,
        created_at: one.createdAt,
        available_at: one.availableAt,
        source_id: one.sourceId,
        payment_intent_id: one.paymentIntentId,
        source_currency: one.sourceCurrency,
        source_amount: one.sourceAmount,
        stripe_invoice_id: one.stripeInvoiceId,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export interface NewPayout {
  id: string
  currency: string
  amount: number
  status: string
  automatic: boolean
  createdAt: Date
  arrivesAt: Date
}

export async function savePayouts(db: Db, payouts: readonly NewPayout[]): Promise<void> {
  if (payouts.length === 0) return
  await db
    .insertInto('processor_payouts')
    .values(
      payouts.map((one) => ({
        id: one.id,
        currency: one.currency,
        amount: one.amount,
        status: one.status,
        automatic: one.automatic,
        created_at: one.createdAt,
        arrives_at: one.arrivesAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        status: ref('excluded.status'),
        arrives_at: ref('excluded.arrives_at'),
      })),
    )
    .execute()
}

/** Of these payouts those whose transactions are not known yet. */
export async function unassignedPayouts(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('processor_payouts')
    .select('id')
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .where('assigned', '=', false)
    .execute()
  return rows.map(({ id }) => id)
}

/** Says of these transactions that the payout is made of them. */
export async function assignToPayout(
  db: Db,
  payoutId: string,
  transactionIds: readonly string[],
): Promise<void> {
  if (transactionIds.length === 0) return
  await db
    .updateTable('balance_transactions')
    .set({ payout_id: payoutId })
    .where('id', 'in', transactionIds)
    .execute()
}

export async function markPayoutAssigned(db: Db, payoutId: string): Promise<void> {
  await db
    .updateTable('processor_payouts')
    .set({ assigned: true })
    .where('id', '=', payoutId)
    .execute()
}

/** A currency that the processor does not name any more has nothing on it. */
export async function saveBalances(
  trx: Trx,
  balances: readonly { currency: string; amount: number }[],
  readAt: Date,
): Promise<void> {
  await trx.updateTable('processor_balances').set({ amount: 0, read_at: readAt }).execute()
  if (balances.length === 0) return
  await trx
    .insertInto('processor_balances')
    .values(balances.map(({ currency, amount }) => ({ currency, amount, read_at: readAt })))
    .onConflict((conflict) =>
      conflict.column('currency').doUpdateSet(({ ref }) => ({
        amount: ref('excluded.amount'),
        read_at: ref('excluded.read_at'),
      })),
    )
    .execute()
}

export interface BalanceReading {
  /** Everything before this moment is kept. */
  readUntil: Date
  finishedAt: Date | null
  error: string | null
}

/** Undefined before the first reading. */
export function findBalanceReading(db: Db): Promise<BalanceReading | undefined> {
  return db
    .selectFrom('balance_readings')
    .select(['read_until as readUntil', 'finished_at as finishedAt', 'error'])
    .executeTakeFirst()
}

export async function saveReadUntil(db: Db, readUntil: Date): Promise<void> {
  await db
    .insertInto('balance_readings')
    .values({ read_until: readUntil })
    .onConflict((conflict) => conflict.column('one').doUpdateSet({ read_until: readUntil }))
    .execute()
}

/** Notes how a reading ended; nothing before the first part of one is kept. */
export async function finishBalanceReading(db: Db, error: string | null): Promise<void> {
  await db
    .updateTable('balance_readings')
    .set(error === null ? { error, finished_at: sql<Date>`clock_timestamp()` } : { error })
    .execute()
}

/** When the first customer was made at the processor. */
export async function firstCustomerAt(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('payment_customers')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .executeTakeFirst()
  return row?.at ?? undefined
}
