import type { InvoiceDisplayStatus } from '@atrium/core/billing/billing'
import type { LedgerEntryType } from '@atrium/core/billing/payouts'
import type { Plan } from '@atrium/core/tenants/tenants'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { InvoiceRow } from './invoices.ts'

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
  /** Of the tenant today, whoever earns from the invoice. */
  tenantPartnerSlug: string | null
}

const columns = sql.raw(`i.id, i.tenant_id as "tenantId", i.stripe_invoice_id as "stripeInvoiceId",
  i.stripe_subscription_id as "stripeSubscriptionId", i.number, i.status, i.billing_reason as "billingReason", i.currency,
  i.subtotal::text as subtotal, i.discount::text as discount, i.tax::text as tax, i.total::text as total,
  i.total_excluding_tax::text as "totalExcludingTax", i.amount_due::text as "amountDue", i.amount_paid::text as "amountPaid",
  i.amount_remaining::text as "amountRemaining", i.amount_overpaid::text as "amountOverpaid",
  i.credited_amount::text as "creditedAmount", i.refunded_amount::text as "refundedAmount",
  i.disputed_amount::text as "disputedAmount", i.period_start as "periodStart", i.period_end as "periodEnd",
  i.due_date as "dueDate", i.next_payment_attempt as "nextPaymentAttempt", i.attempt_count as "attemptCount",
  i.finalized_at as "finalizedAt", i.paid_at as "paidAt", i.voided_at as "voidedAt",
  i.uncollectible_at as "uncollectibleAt", i.partner_id as "partnerId", i.margin_pct as "marginPct", i.read_at as "readAt",
  t.slug as "tenantSlug", t.name as "tenantName", p.slug as "partnerSlug", p.name as "partnerName",
  t.plan as "tenantPlan", (select q.slug from partners q where q.id = t.partner_id) as "tenantPartnerSlug"`)
const from = sql.raw(
  `from invoices i join tenants t on t.id = i.tenant_id left join partners p on p.id = i.partner_id`,
)

/** `invoiceDisplayStatusOf` in SQL; the tests compare the two. */
const displayStatus = (now: Date) => sql`case
  when i.status = 'void' then 'void'
  when i.amount_paid > 0 and i.refunded_amount >= i.amount_paid then 'refunded'
  when i.refunded_amount > 0 then 'partially_refunded'
  when i.disputed_amount > 0 then 'disputed'
  when i.status <> 'open' then i.status
  when i.attempt_count > 0 or coalesce(i.due_date < ${now}, false) then 'overdue'
  else 'open' end`

function conditions(filter: OperatorInvoiceFilter, now: Date): RawBuilder<SqlBool> {
  const { tenantSlug, partnerSlug, status, currency, number, from: first, to: last } = filter
  const all = [
    sql<SqlBool>`i.finalized_at is not null and i.status <> 'draft'`,
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
  return sql.join(all, sql` and `) as RawBuilder<SqlBool>
}

/** Newest first by the day of finalization, without drafts; one row more than asked. */
export async function listOperatorInvoices(
  db: Db,
  filter: OperatorInvoiceFilter,
  page: { now: Date; before?: string | undefined; limit: number },
): Promise<OperatorInvoiceRow[]> {
  const after = page.before
    ? sql`and (i.finalized_at, i.id) < (select b.finalized_at, b.id from invoices b where b.id = ${page.before})`
    : sql``
  const { rows } = await sql<OperatorInvoiceRow>`
    select ${columns}, '[]'::jsonb as lines ${from} where ${conditions(filter, page.now)} ${after}
    order by i.finalized_at desc, i.id desc limit ${page.limit + 1}`.execute(db)
  return rows
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
export async function sumOperatorInvoices(
  db: Db,
  filter: OperatorInvoiceFilter,
  now: Date,
): Promise<InvoiceTotalsRow[]> {
  const { rows } = await sql<InvoiceTotalsRow>`
    select i.currency, count(*)::int as invoices,
      coalesce(sum(i.total) filter (where i.status <> 'void'), 0)::text as total,
      coalesce(sum(i.tax) filter (where i.status <> 'void'), 0)::text as tax,
      coalesce(sum(i.amount_paid), 0)::text as paid,
      coalesce(sum(i.amount_remaining) filter (where i.status = 'open'), 0)::text as due,
      coalesce(sum(i.refunded_amount), 0)::text as refunded,
      coalesce(sum(i.credited_amount) filter (where i.status <> 'void'), 0)::text as credited
    ${from} where ${conditions(filter, now)} group by i.currency order by i.currency`.execute(db)
  return rows
}

/** Undefined for a draft. */
export async function findOperatorInvoice(
  db: Db | Trx,
  id: string,
): Promise<OperatorInvoiceRow | undefined> {
  const { rows } = await sql<OperatorInvoiceRow>`
    select ${columns}, i.lines ${from}
    where i.id = ${id} and i.finalized_at is not null and i.status <> 'draft'`.execute(db)
  return rows[0]
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
  const { rows } = await sql<
    Omit<StoredReversal, 'amount' | 'total' | 'balance' | 'outside'> &
      Record<'amount' | 'balance' | 'outside', string> & { total: string | null }
  >`
    select id, kind, number, amount::text as amount, total::text as total, coalesce(balance_amount, 0)::text as balance,
      coalesce(outside_amount, case when kind = 'credit_note' and effective then amount else 0 end)::text as outside,
      coalesce(refund_ids, '{}') as "refundIds", status, effective, created_at as "createdAt"
    from invoice_reversals where invoice_id = ${invoiceId} order by created_at, id`.execute(db)
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    total: row.total === null ? null : BigInt(row.total),
    balance: BigInt(row.balance),
    outside: BigInt(row.outside),
  }))
}

export interface ShareEntry {
  type: LedgerEntryType
  amount: string
  createdAt: Date
}

/** What the partner ledger holds about an invoice, oldest first. */
export async function listShareEntries(db: Db, invoiceId: string): Promise<ShareEntry[]> {
  const { rows } = await sql<ShareEntry>`
    select type, amount::text as amount, created_at as "createdAt"
    from partner_ledger where invoice_id = ${invoiceId} order by id`.execute(db)
  return rows
}
