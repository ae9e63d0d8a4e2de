import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { type BookedMonth, facts, inMonth, paidBy } from './bookkeeping.ts'

// Raw SQL: unions and sums over the union of `invoiceFacts`.

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
    | 'refund_without_credit_note'
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
  // The balance is read every hour: nothing that is newer than the last reading is missing there.
  // The processor's clock may be ahead of ours.
  const isRead = sql`f.at <= greatest((select read_until from balance_readings),
    (select max(created_at) from balance_transactions))`
  const reversed = (kind: 'refund' | 'dispute', category: string) => sql`
    select f.source as reference, t.slug as "tenantSlug", f.currency, f.gross::text as books,
      null::text as processor
    from ${facts} join tenants t on t.id = f.tenant_id
    where f.kind = ${kind} and ${inMonth(month)} and ${isRead} and not exists (
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
      where f.kind = 'payment' and f.gross <> 0 and ${inMonth(month)} and ${isRead}
        and not ${paidBy('f.source')} and not exists (select from invoice_corrections c
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
      'refund_without_credit_note',
      sql`
      select f.source as reference, t.slug as "tenantSlug", f.currency, f.gross::text as books,
        null::text as processor
      from ${facts} join tenants t on t.id = f.tenant_id
      where f.kind = 'refund' and ${inMonth(month)} and not exists (
        select from invoice_reversals c
        where c.invoice_id = f.invoice_id and c.kind = 'credit_note' and c.status = 'issued'
          -- A credit note from before migration 0090 does not say what it refunded.
          and (c.refund_ids is null or f.source = any (c.refund_ids)))`,
    )}
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

export interface DocumentDifferenceRow {
  kind: 'document_currency' | 'document_amount' | 'document_tax'
  reference: string
  tenantSlug: string
  currency: string
  /** The gross amount; of `document_tax` the tax. Negative where it lowers what is owed. */
  books: string
  documentCurrency: string
  document: string
}

/**
 * Issued documents of the month that have another currency, amount or tax than the books; at most
 * `limit` of each kind.
 */
export async function listDocumentDifferences(
  db: Db,
  month: BookedMonth,
  limit: number,
): Promise<DocumentDifferenceRow[]> {
  const total = (name: string) =>
    sql`case d.kind when 'credit_note' then -1 else 1 end
      * (d.document -> 'totals' ->> ${sql.lit(name)})::bigint`
  const { rows } = await sql<DocumentDifferenceRow>`
    with compared as (
      select f.source as reference, t.slug as "tenantSlug", f.currency,
        case f.kind when 'credit_note' then -f.gross else f.gross end as gross,
        case f.kind when 'credit_note' then f.net - f.gross else f.gross - f.net end as tax,
        d.document ->> 'currency' as "documentCurrency",
        ${total('grossMinor')} as "documentGross", ${total('taxMinor')} as "documentTax"
      from ${facts}
      join tenants t on t.id = f.tenant_id
      join billing_documents d
        on d.tenant_id = f.tenant_id and d.source = f.source and d.document is not null
      where f.kind in ('invoice', 'void', 'credit_note') and ${inMonth(month)}
    ), differing as (
      select *, case
          when "documentCurrency" <> currency then 'document_currency'
          when "documentGross" <> gross then 'document_amount'
          else 'document_tax'
        end as kind
      from compared
      where ("documentCurrency", "documentGross", "documentTax") <> (currency, gross, tax)
    )
    select kind, reference, "tenantSlug", currency,
      case kind when 'document_tax' then tax else gross end::text as books, "documentCurrency",
      case kind when 'document_tax' then "documentTax" else "documentGross" end::text as document
    from (
      select *, row_number() over (partition by kind order by reference) as place from differing
    ) d
    where place <= ${limit}`.execute(db)
  return rows
}
