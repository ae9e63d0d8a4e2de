import type { InvoiceDisplayStatus } from '@atrium/core/billing/billing'
import type { LedgerEntryType } from '@atrium/core/billing/payouts'
import type { Plan } from '@atrium/core/tenants/tenants'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { InvoiceRow, StoredLine } from './invoices.ts'

export interface OperatorInvoiceFilter {
  tenantSlug?: string | undefined
  partnerSlug?: string | undefined
  status?: InvoiceDisplayStatus | undefined
  currency?: string | undefined
  /** How the number begins. */
  number?: string | undefined
  from?: string | undefined
  /** The last day that counts. */
  to?: string | undefined
}

export interface OperatorInvoiceRow extends InvoiceRow {
  tenantSlug: string
  tenantName: string
  partnerSlug: string | null
  partnerName: string | null
  tenantPlan: Plan
  /** The tenant's partner today, which may differ from the one that earns from the invoice. */
  tenantPartnerSlug: string | null
}

function invoicesOf(db: Db | Trx) {
  return db
    .selectFrom('invoices as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .leftJoin('partners as p', 'p.id', 'i.partner_id')
    .where('i.finalized_at', 'is not', null)
    .where('i.status', '<>', 'draft')
}

type AmountColumn =
  | 'i.subtotal'
  | 'i.discount'
  | 'i.tax'
  | 'i.total'
  | 'i.total_excluding_tax'
  | 'i.amount_due'
  | 'i.amount_paid'
  | 'i.amount_remaining'
  | 'i.amount_overpaid'
  | 'i.credited_amount'
  | 'i.refunded_amount'
  | 'i.disputed_amount'

/** Amounts are text: a number is exact only up to 2^53. */
function selectInvoices(db: Db | Trx) {
  return invoicesOf(db)
    .leftJoin('partners as current', 'current.id', 't.partner_id')
    .select(({ cast }) => {
      const text = (column: AmountColumn) => cast<string>(column, 'text')
      return [
        'i.id',
        'i.tenant_id as tenantId',
        'i.stripe_invoice_id as stripeInvoiceId',
        'i.stripe_subscription_id as stripeSubscriptionId',
        'i.number',
        'i.status',
        'i.billing_reason as billingReason',
        'i.currency',
        text('i.subtotal').as('subtotal'),
        text('i.discount').as('discount'),
        text('i.tax').as('tax'),
        text('i.total').as('total'),
        text('i.total_excluding_tax').as('totalExcludingTax'),
        text('i.amount_due').as('amountDue'),
        text('i.amount_paid').as('amountPaid'),
        text('i.amount_remaining').as('amountRemaining'),
        text('i.amount_overpaid').as('amountOverpaid'),
        cast<string | null>('i.balance_applied', 'text').as('balanceApplied'),
        text('i.credited_amount').as('creditedAmount'),
        text('i.refunded_amount').as('refundedAmount'),
        text('i.disputed_amount').as('disputedAmount'),
        'i.period_start as periodStart',
        'i.period_end as periodEnd',
        'i.due_date as dueDate',
        'i.next_payment_attempt as nextPaymentAttempt',
        'i.attempt_count as attemptCount',
        'i.finalized_at as finalizedAt',
        'i.paid_at as paidAt',
        'i.voided_at as voidedAt',
        'i.uncollectible_at as uncollectibleAt',
        'i.partner_id as partnerId',
        'i.margin_pct as marginPct',
        'i.read_at as readAt',
        't.slug as tenantSlug',
        't.name as tenantName',
        'p.slug as partnerSlug',
        'p.name as partnerName',
        't.plan as tenantPlan',
        'current.slug as tenantPartnerSlug',
      ]
    })
}

/** `invoiceDisplayStatusOf` in SQL; the tests compare the two. */
const displayStatus = (now: Date) => sql`case
  when i.status = 'void' then 'void'
  when i.amount_paid > 0 and i.refunded_amount >= i.amount_paid then 'refunded'
  when i.refunded_amount > 0 then 'partially_refunded'
  when i.disputed_amount > 0 then 'disputed'
  when i.status <> 'open' then i.status
  when i.attempt_count > 0 or coalesce(i.due_date < ${now}, false) then 'overdue'
  else 'open' end`

function conditionsOf(filter: OperatorInvoiceFilter, now: Date): RawBuilder<SqlBool>[] {
  const { tenantSlug, partnerSlug, status, currency, number, from: first, to: last } = filter
  return [
    ...(tenantSlug ? [sql<SqlBool>`t.slug = ${tenantSlug}`] : []),
    ...(partnerSlug ? [sql<SqlBool>`p.slug = ${partnerSlug}`] : []),
    ...(status ? [sql<SqlBool>`${displayStatus(now)} = ${status}`] : []),
    ...(currency ? [sql<SqlBool>`i.currency = ${currency}`] : []),
    ...(number ? [sql<SqlBool>`starts_with(lower(i.number), lower(${number}))`] : []),
    ...(first
      ? [sql<SqlBool>`i.finalized_at >= ${first}::date::timestamp at time zone 'UTC'`]
      : []),
    ...(last
      ? [sql<SqlBool>`i.finalized_at < (${last}::date + 1)::timestamp at time zone 'UTC'`]
      : []),
  ]
}

/** Newest first by the day of finalization, without drafts; one row more than requested. */
export async function listOperatorInvoices(
  db: Db,
  filter: OperatorInvoiceFilter,
  page: { now: Date; before?: string | undefined; limit: number },
): Promise<OperatorInvoiceRow[]> {
  const rows = await selectInvoices(db)
    .where((eb) => eb.and(conditionsOf(filter, page.now)))
    .$if(page.before !== undefined, (query) =>
      query.where(
        sql<SqlBool>`(i.finalized_at, i.id) < (select b.finalized_at, b.id from invoices b where b.id = ${page.before})`,
      ),
    )
    .orderBy('i.finalized_at', 'desc')
    .orderBy('i.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return rows.map((row) => ({ ...row, lines: [] }))
}

export interface InvoiceTotalsRow {
  currency: string
  invoices: number
  total: string
  tax: string
  paid: string
  due: string
  refunded: string
  credited: string
}

/** Void invoices count, but are worth nothing. */
export function sumOperatorInvoices(
  db: Db,
  filter: OperatorInvoiceFilter,
  now: Date,
): Promise<InvoiceTotalsRow[]> {
  return invoicesOf(db)
    .where((eb) => eb.and(conditionsOf(filter, now)))
    .select(({ fn, cast }) => {
      const notVoid = (column: 'i.total' | 'i.tax' | 'i.credited_amount') =>
        fn.sum<string | null>(column).filterWhere('i.status', '<>', 'void')
      const text = (sum: Expression<string | null>) =>
        cast<string>(fn.coalesce(sum, sql<string>`0`), 'text')
      return [
        'i.currency',
        cast<number>(fn.countAll(), 'integer').as('invoices'),
        text(notVoid('i.total')).as('total'),
        text(notVoid('i.tax')).as('tax'),
        text(fn.sum<string | null>('i.amount_paid')).as('paid'),
        text(fn.sum<string | null>('i.amount_remaining').filterWhere('i.status', '=', 'open')).as(
          'due',
        ),
        text(fn.sum<string | null>('i.refunded_amount')).as('refunded'),
        text(notVoid('i.credited_amount')).as('credited'),
      ]
    })
    .groupBy('i.currency')
    .orderBy('i.currency')
    .execute()
}

/** Undefined for a draft. */
export function findOperatorInvoice(
  db: Db | Trx,
  id: string,
): Promise<OperatorInvoiceRow | undefined> {
  return selectInvoices(db)
    .select(sql<StoredLine[]>`i.lines`.as('lines'))
    .where('i.id', '=', id)
    .executeTakeFirst()
}

export interface StoredReversal {
  id: string
  kind: 'refund' | 'credit_note' | 'dispute'
  number: string | null
  /** The money returned; of a credit note only the part outside of the processor. */
  amount: bigint
  /** Of a credit note: all of it. */
  total: bigint | null
  balance: bigint
  outside: bigint
  refundIds: string[]
  status: string
  effective: boolean
  createdAt: Date
}

/** Refunds, credit notes and disputes of an invoice, oldest first. */
export async function listStoredReversals(
  db: Db | Trx,
  invoiceId: string,
): Promise<StoredReversal[]> {
  const rows = await db
    .selectFrom('invoice_reversals')
    .select(({ cast }) => [
      'id',
      'kind',
      'number',
      cast<string>('amount', 'text').as('amount'),
      cast<string | null>('total', 'text').as('total'),
      cast<string | null>('balance_amount', 'text').as('balance'),
      // A credit note from before its parts were kept was paid outside of the processor.
      sql<string>`coalesce(outside_amount, case when kind = 'credit_note' and effective then amount else 0 end)::text`.as(
        'outside',
      ),
      'refund_ids as refundIds',
      'status',
      'effective',
      'created_at as createdAt',
    ])
    .where('invoice_id', '=', invoiceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    total: row.total === null ? null : BigInt(row.total),
    balance: BigInt(row.balance ?? 0),
    refundIds: row.refundIds ?? [],
    outside: BigInt(row.outside),
  }))
}

export interface ShareEntry {
  type: LedgerEntryType
  amount: string
  createdAt: Date
}

/** What the partner ledger holds about an invoice, oldest first. */
export function listShareEntries(db: Db, invoiceId: string): Promise<ShareEntry[]> {
  return db
    .selectFrom('partner_ledger')
    .select(({ cast }) => [
      'type',
      cast<string>('amount', 'text').as('amount'),
      'created_at as createdAt',
    ])
    .where('invoice_id', '=', invoiceId)
    .orderBy('id')
    .execute()
}
