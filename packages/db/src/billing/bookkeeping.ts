import type { DocumentTax } from '@atrium/core/billing/documents/document'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { invoiceFacts } from '../reports/invoice-facts.ts'

// Raw SQL: every statement reads the union of `invoiceFacts`.

/** From the first moment of the month to that of the next one, in UTC. */
export interface BookedMonth {
  from: Date
  until: Date
}

/** Where the page before ended. */
export interface BookkeepingCursor {
  /** With microseconds, which a `Date` would lose. */
  at: string
  source: string
}

export interface PageOf {
  after: BookkeepingCursor | null
  limit: number
  currency: string | undefined
}

const facts = sql`(${invoiceFacts(sql`true`)}) f`
const cursorOf = sql`f.at::text as "cursorAt"`

function after(cursor: BookkeepingCursor | null) {
  return cursor === null
    ? sql`true`
    : sql`(f.at, f.source) > (${cursor.at}::timestamptz, ${cursor.source})`
}

const inMonth = ({ from, until }: BookedMonth) => sql`f.at >= ${from} and f.at < ${until}`
const of = (currency: string | undefined) =>
  currency === undefined ? sql`true` : sql`f.currency = ${currency}`

export interface BookedDocumentRow {
  at: Date
  cursorAt: string
  source: string
  kind: 'invoice' | 'void' | 'credit_note'
  number: string | null
  tenantSlug: string
  currency: string
  net: string
  gross: string
  documentKind: 'invoice' | 'credit_note' | null
  taxes: DocumentTax[] | null
  country: string | null
  vatNumber: string | null
}

/** Invoices, what cancels them, and credit notes of the month, with what their documents say. */
export async function listBookedDocuments(
  db: Db,
  month: BookedMonth,
  page: PageOf,
): Promise<BookedDocumentRow[]> {
  const { rows } = await sql<BookedDocumentRow>`
    select f.at, ${cursorOf}, f.source, f.kind, t.slug as "tenantSlug", f.currency,
      coalesce(d.number, r.number, i.number) as number, f.net::text as net, f.gross::text as gross,
      d.kind as "documentKind", d.document -> 'taxes' as taxes,
      d.document -> 'buyer' -> 'address' ->> 'country' as country,
      d.document -> 'buyer' ->> 'vatNumber' as "vatNumber"
    from ${facts}
    join tenants t on t.id = f.tenant_id
    join invoices i on i.id = f.invoice_id
    left join invoice_reversals r on f.kind = 'credit_note' and r.id = f.source
    left join billing_documents d
      on d.tenant_id = f.tenant_id and d.source = f.source and d.document is not null
    where f.kind in ('invoice', 'void', 'credit_note') and ${inMonth(month)}
      and ${of(page.currency)} and ${after(page.after)}
    order by f.at, f.source limit ${page.limit}`.execute(db)
  return rows
}

export interface BookedTransactionRow {
  at: Date
  cursorAt: string
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
export async function listBookedTransactions(
  db: Db,
  month: BookedMonth,
  page: PageOf,
): Promise<BookedTransactionRow[]> {
  const ofCurrency =
    page.currency === undefined
      ? sql`true`
      : sql`(f.currency = ${page.currency} or f.source_currency = ${page.currency})`
  const { rows } = await sql<BookedTransactionRow>`
    select f.at, ${cursorOf}, f.source, f.type, f.category, f.currency, f.amount::text as amount,
      f.fee::text as fee, f.exchange_rate::text as "exchangeRate",
      f.source_currency as "sourceCurrency", f.source_amount::text as "sourceAmount", i.number,
      t.slug as "tenantSlug", i.id is not null as ours
    from (select b.*, b.created_at as at, b.id as source from balance_transactions b) f
    left join invoices i on i.stripe_invoice_id = f.stripe_invoice_id
    left join tenants t on t.id = i.tenant_id
    where ${inMonth(month)} and ${ofCurrency} and ${after(page.after)}
    order by f.at, f.source limit ${page.limit}`.execute(db)
  return rows
}

/** The charge or the like that paid an invoice. */
const paidBy = (invoice: string) => sql`exists (
  select from balance_transactions b
  where b.stripe_invoice_id = ${sql.ref(invoice)} and b.type in ('charge', 'payment'))`

export interface BookedElsewhereRow {
  at: Date
  cursorAt: string
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
export async function listBookedElsewhere(
  db: Db,
  month: BookedMonth,
  page: PageOf,
): Promise<BookedElsewhereRow[]> {
  const { rows } = await sql<BookedElsewhereRow>`
    select f.at, ${cursorOf}, f.source, f.kind, f.number, t.slug as "tenantSlug", f.currency,
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
    where ${inMonth(month)} and ${of(page.currency)} and ${after(page.after)}
    order by f.at, f.source limit ${page.limit}`.execute(db)
  return rows
}

export interface BookedShareRow {
  at: Date
  cursorAt: string
  source: string
  payout: boolean
  number: string | null
  tenantSlug: string | null
  currency: string
  amount: string
}

/** The entries of the partners' ledger. */
export async function listBookedShares(
  db: Db,
  month: BookedMonth,
  page: PageOf,
): Promise<BookedShareRow[]> {
  const { rows } = await sql<BookedShareRow>`
    select f.at, ${cursorOf}, f.source, f.type in ('payout', 'payout_reversal') as payout, i.number,
      t.slug as "tenantSlug", f.currency, f.amount::text as amount
    from (select l.*, l.created_at as at, l.id::text as source from partner_ledger l) f
    left join invoices i on i.id = f.invoice_id
    left join tenants t on t.id = f.tenant_id
    where ${inMonth(month)} and ${of(page.currency)} and ${after(page.after)}
    order by f.at, f.source limit ${page.limit}`.execute(db)
  return rows
}

/** Currencies with anything to book in the month. */
export async function listBookedCurrencies(db: Db, month: BookedMonth): Promise<string[]> {
  const { rows } = await sql<{ currency: string }>`
    select f.currency from ${facts} where ${inMonth(month)}
    union
    select f.currency from balance_transactions f
      where f.created_at >= ${month.from} and f.created_at < ${month.until}
    union
    select f.currency from partner_ledger f
      where f.created_at >= ${month.from} and f.created_at < ${month.until}
    order by 1`.execute(db)
  return rows.map(({ currency }) => currency)
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

export interface DifferenceRow {
  kind:
    | 'payout_sum'
    | 'processor_balance'
    | 'payment_without_transaction'
    | 'payment_amount'
    | 'transaction_without_invoice'
    | 'refund_without_transaction'
    | 'refund_unknown'
    | 'dispute_without_transaction'
    | 'dispute_unknown'
    | 'document_missing'
  reference: string
  tenantSlug: string | null
  currency: string
  books: string | null
  processor: string | null
}

/**
 * What does not agree in the month between the books, the movements of the processor's balance, its
 * payouts and the balance that it names; at most `limit` of each kind.
 */
export async function listBookkeepingDifferences(
  db: Db,
  month: BookedMonth,
  limit: number,
): Promise<DifferenceRow[]> {
  const { from, until } = month
  const moved = sql`b.created_at >= ${from} and b.created_at < ${until}`
  const one = (kind: DifferenceRow['kind'], select: ReturnType<typeof sql>) =>
    sql`(select ${sql.lit(kind)} as kind, d.* from (${select}) d order by d.reference limit ${limit})`
  const reversed = (kind: 'refund' | 'dispute', category: string) => sql`
    select f.source as reference, t.slug as "tenantSlug", f.currency, f.gross::text as books,
      null::text as processor
    from ${facts} join tenants t on t.id = f.tenant_id
    where f.kind = ${kind} and ${inMonth(month)} and not exists (
      select from balance_transactions b where b.source_id = f.source and b.category = ${category})`
  const unknown = (kind: 'refund' | 'dispute', category: string) => sql`
    select b.source_id as reference, null::text as "tenantSlug", b.currency, null::text as books,
      b.amount::text as processor
    from balance_transactions b
    where ${moved} and b.category = ${category} and b.stripe_invoice_id is not null and not exists (
      select from invoice_reversals r where r.id = b.source_id and r.kind = ${kind})`
  const { rows } = await sql<DifferenceRow>`
    ${one(
      'payout_sum',
      sql`
      select p.id as reference, null::text as "tenantSlug", p.currency, s.net::text as books,
        p.amount::text as processor
      from processor_payouts p
      cross join lateral (
        select coalesce(sum(b.net), 0) as net from balance_transactions b
        where b.payout_id = p.id and b.source_id is distinct from p.id
      ) s
      where p.created_at >= ${from} and p.created_at < ${until} and p.assigned
        and s.net <> p.amount`,
    )}
    union all
    ${one(
      'processor_balance',
      sql`
      select currency as reference, null::text as "tenantSlug", currency,
        coalesce(s.net, 0)::text as books, coalesce(p.amount, 0)::text as processor
      from (select currency, sum(net) as net from balance_transactions group by 1) s
      full join processor_balances p using (currency)
      where coalesce(s.net, 0) <> coalesce(p.amount, 0)
        and exists (select from processor_balances)`,
    )}
    union all
    ${one(
      'payment_without_transaction',
      sql`
      select f.source as reference, t.slug as "tenantSlug", f.currency, f.gross::text as books,
        null::text as processor
      from ${facts} join tenants t on t.id = f.tenant_id
      where f.kind = 'payment' and f.gross <> 0 and ${inMonth(month)} and not ${paidBy('f.source')}
        and not exists (select from invoice_corrections c
          where c.invoice_id = f.invoice_id and c.kind = 'transfer' and c.state = 'done')`,
    )}
    union all
    ${one(
      'payment_amount',
      sql`
      select f.source as reference, t.slug as "tenantSlug", f.currency, f.gross::text as books,
        s.amount::text as processor
      from ${facts} join tenants t on t.id = f.tenant_id
      cross join lateral (
        select sum(b.source_amount) as amount from balance_transactions b
        where b.stripe_invoice_id = f.source and b.type in ('charge', 'payment')
      ) s
      where f.kind = 'payment' and ${inMonth(month)} and s.amount <> f.gross`,
    )}
    union all
    ${one(
      'transaction_without_invoice',
      sql`
      select b.id as reference, null::text as "tenantSlug", b.currency, null::text as books,
        b.amount::text as processor
      from balance_transactions b
      left join invoices i on i.stripe_invoice_id = b.stripe_invoice_id
      where ${moved} and b.type in ('charge', 'payment') and i.id is null`,
    )}
    union all ${one('refund_without_transaction', reversed('refund', 'refund'))}
    union all ${one('refund_unknown', unknown('refund', 'refund'))}
    union all ${one('dispute_without_transaction', reversed('dispute', 'dispute'))}
    union all ${one('dispute_unknown', unknown('dispute', 'dispute'))}
    union all
    ${one(
      'document_missing',
      sql`
      select f.source as reference, t.slug as "tenantSlug", f.currency, f.gross::text as books,
        null::text as processor
      from ${facts} join tenants t on t.id = f.tenant_id
      where f.kind in ('invoice', 'credit_note') and f.gross <> 0 and ${inMonth(month)}
        and not exists (select from billing_documents d where d.tenant_id = f.tenant_id
          and d.source = f.source and d.document is not null)`,
    )}`.execute(db)
  return rows
}
