import type { DocumentTax } from '@atrium/core/billing/documents/document'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { invoiceFacts } from '../reports/invoice-facts.ts'

// Raw SQL: every statement reads the union of `invoiceFacts`.

/** From the first moment of the month to that of the next one, in UTC. */
export interface BookedMonth {
  from: Date
  until: Date
}

/** `f`: the facts of all invoices. */
export const facts = sql`(${invoiceFacts(sql`true`)}) f`

export const inMonth = ({ from, until }: BookedMonth) => sql`f.at >= ${from} and f.at < ${until}`
const of = (currency: string | undefined) =>
  currency === undefined ? sql`true` : sql`f.currency = ${currency}`

export interface BookedDocumentRow {
  at: Date
  source: string
  kind: 'invoice' | 'void' | 'credit_note'
  number: string | null
  tenantSlug: string
  currency: string
  net: string
  gross: string
  documentKind: 'invoice' | 'credit_note' | null
  documentCurrency: string | null
  taxes: DocumentTax[] | null
  country: string | null
  vatNumber: string | null
}

/** Invoices, what cancels them, and credit notes of the month, with what their documents say. */
export function selectBookedDocuments(
  month: BookedMonth,
  currency: string | undefined,
): RawBuilder<BookedDocumentRow> {
  return sql<BookedDocumentRow>`
    select f.at, f.source, f.kind, t.slug as "tenantSlug", f.currency,
      coalesce(d.number, r.number, i.number) as number, f.net::text as net, f.gross::text as gross,
      d.kind as "documentKind", d.document ->> 'currency' as "documentCurrency",
      d.document -> 'taxes' as taxes,
      d.document -> 'buyer' -> 'address' ->> 'country' as country,
      d.document -> 'buyer' ->> 'vatNumber' as "vatNumber"
    from ${facts}
    join tenants t on t.id = f.tenant_id
    join invoices i on i.id = f.invoice_id
    left join invoice_reversals r on f.kind = 'credit_note' and r.id = f.source
    left join billing_documents d
      on d.tenant_id = f.tenant_id and d.source = f.source and d.document is not null
    where f.kind in ('invoice', 'void', 'credit_note') and ${inMonth(month)}
      and ${of(currency)}
    order by f.at, f.source`
}

export interface BookedTransactionRow {
  at: Date
  source: string
  type: string
  category: string
  currency: string
  amount: string
  fee: string
  exchangeRate: string | null
  sourceCurrency: string | null
  sourceAmount: string | null
  number: string | null
  tenantSlug: string | null
  ours: boolean
}

/** What moved the processor's balance in the month. */
export function selectBookedTransactions(
  month: BookedMonth,
  currency: string | undefined,
): RawBuilder<BookedTransactionRow> {
  const ofCurrency =
    currency === undefined
      ? sql`true`
      : sql`(f.currency = ${currency} or f.source_currency = ${currency})`
  return sql<BookedTransactionRow>`
    select f.at, f.source, f.type, f.category, f.currency, f.amount::text as amount,
      f.fee::text as fee, f.exchange_rate::text as "exchangeRate",
      f.source_currency as "sourceCurrency", f.source_amount::text as "sourceAmount", i.number,
      t.slug as "tenantSlug", i.id is not null as ours
    from (select b.*, b.created_at as at, b.id as source from balance_transactions b) f
    left join invoices i on i.stripe_invoice_id = f.stripe_invoice_id
    left join tenants t on t.id = i.tenant_id
    where ${inMonth(month)} and ${ofCurrency}
    order by f.at, f.source`
}

/** The charge, or another payment, that paid an invoice. */
export const paidBy = (invoice: string) => sql`exists (
  select from balance_transactions b
  where b.stripe_invoice_id = ${sql.ref(invoice)} and b.type in ('charge', 'payment'))`

export interface BookedElsewhereRow {
  at: Date
  source: string
  kind: 'payment' | 'refund' | 'write_off'
  number: string | null
  tenantSlug: string
  currency: string
  gross: string
}

/**
 * What the processor's balance does not show: payments and money returned outside of the processor,
 * and write-offs, which a later payment or cancellation takes back.
 */
export function selectBookedElsewhere(
  month: BookedMonth,
  currency: string | undefined,
): RawBuilder<BookedElsewhereRow> {
  return sql<BookedElsewhereRow>`
    select f.at, f.source, f.kind, f.number, t.slug as "tenantSlug", f.currency,
      f.gross::text as gross
    from (
      select p.at, 'payment:' || p.source as source, 'payment' as kind, i.number, p.tenant_id,
        p.currency, p.gross
      from (${invoiceFacts(sql`true`)}) p
      join invoices i on i.id = p.invoice_id
      where p.kind = 'payment' and p.gross <> 0 and not ${paidBy('p.source')}
      union all
      select r.created_at, 'refund:' || r.id, 'refund', r.number, i.tenant_id, i.currency,
        -r.outside_amount
      from invoice_reversals r join invoices i on i.id = r.invoice_id
      where r.kind = 'credit_note' and r.status = 'issued' and r.outside_amount > 0
      union all
      select i.uncollectible_at, 'write-off:' || i.stripe_invoice_id, 'write_off', i.number,
        i.tenant_id, i.currency, i.amount_due
      from invoices i where i.uncollectible_at is not null and i.amount_due <> 0
      union all
      select coalesce(i.paid_at, i.voided_at), 'write-off-undone:' || i.stripe_invoice_id,
        'write_off', i.number, i.tenant_id, i.currency, -i.amount_due
      from invoices i
      where i.uncollectible_at is not null and i.amount_due <> 0 and i.status in ('paid', 'void')
    ) f
    join tenants t on t.id = f.tenant_id
    where ${inMonth(month)} and ${of(currency)}
    order by f.at, f.source`
}

export interface BookedShareRow {
  at: Date
  source: string
  payout: boolean
  number: string | null
  tenantSlug: string | null
  currency: string
  amount: string
}

/** The entries of the partners' ledger. */
export function selectBookedShares(
  month: BookedMonth,
  currency: string | undefined,
): RawBuilder<BookedShareRow> {
  return sql<BookedShareRow>`
    select f.at, f.source, f.type in ('payout', 'payout_reversal') as payout, i.number,
      t.slug as "tenantSlug", f.currency, f.amount::text as amount
    from (select l.*, l.created_at as at, l.id::text as source from partner_ledger l) f
    left join invoices i on i.id = f.invoice_id
    left join tenants t on t.id = f.tenant_id
    where ${inMonth(month)} and ${of(currency)}
    order by f.at, f.source`
}

/** The currencies of the month, each with an upper bound of how many bookings it has. */
export async function countBookings(
  db: Db,
  month: BookedMonth,
): Promise<{ currency: string; most: number }[]> {
  const moved = sql`f.created_at >= ${month.from} and f.created_at < ${month.until}`
  const { rows } = await sql<{ currency: string; most: number }>`
    select c.currency, sum(c.bookings)::int as most from (
      select f.currency, greatest(jsonb_array_length(d.document -> 'taxes'), 1) as bookings
      from ${facts}
      left join billing_documents d on d.tenant_id = f.tenant_id and d.source = f.source
      where f.kind in ('invoice', 'void', 'credit_note') and ${inMonth(month)}
      union all
      select f.currency, 1 + (f.fee <> 0)::int from balance_transactions f where ${moved}
      union all
      select f.source_currency, 1 from balance_transactions f
      where f.source_currency <> f.currency and ${moved}
      union all
      select e.currency, 1 from (${selectBookedElsewhere(month, undefined)}) e
      union all
      select f.currency, 1 from partner_ledger f where ${moved}
    ) c group by 1 order by 1`.execute(db)
  return rows
}

export interface BalanceRow {
  currency: string
  opening: string
  payments: string
  refunds: string
  disputes: string
  fees: string
  payouts: string
  closing: string
}

/** The processor's balance over the month. Fees are negative; what remains is other movements. */
export async function readBalances(db: Db, { from, until }: BookedMonth): Promise<BalanceRow[]> {
  const within = sql`b.created_at >= ${from}`
  const sum = (amount: string, condition: ReturnType<typeof sql>) =>
    sql`coalesce(sum(${sql.ref(amount)}) filter (where ${condition}), 0)::text`
  const { rows } = await sql<BalanceRow>`
    select b.currency, ${sum('b.net', sql`b.created_at < ${from}`)} as opening,
      ${sum('b.amount', sql`${within} and b.type in ('charge', 'payment')`)} as payments,
      ${sum('b.amount', sql`${within} and b.type in ('refund', 'payment_refund', 'refund_failure', 'payment_failure_refund')`)} as refunds,
      ${sum('b.amount', sql`${within} and b.category in ('dispute', 'dispute_reversal')`)} as disputes,
      (coalesce(sum(b.amount) filter (where ${within} and b.type in ('stripe_fee', 'stripe_fx_fee', 'tax_fee')), 0)
        - coalesce(sum(b.fee) filter (where ${within}), 0))::text as fees,
      ${sum('b.amount', sql`${within} and b.type in ('payout', 'payout_cancel', 'payout_failure', 'payout_reversal')`)} as payouts,
      sum(b.net)::text as closing
    from balance_transactions b where b.created_at < ${until}
    group by 1 having bool_or(${within}) or sum(b.net) <> 0 order by 1`.execute(db)
  return rows
}
