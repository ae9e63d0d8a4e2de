import { type RawBuilder, sql } from 'kysely'

/**
 * What happened to invoices, one row per fact, signed amounts in minor units: `invoice` (billed),
 * `void` (what credit notes had left of it, and is no longer billed), `credit_note`, `payment`
 * (collected), `refund`, `dispute` (money that is away now). The one definition behind the report
 * of invoiced revenue and the bookkeeping export; docs/explanation/reports.md describes it.
 * `scope`: a condition on invoices `i`. Columns: at, kind, source, invoice_id, tenant_id, currency,
 * net (without tax), gross. `source`: the processor's id; of a void invoice with `void:` before it,
 * as documents have it. Raw SQL: a union of selects that others read from.
 */
export function invoiceFacts(scope: RawBuilder<unknown>): RawBuilder<unknown> {
  const issued = sql`i.status <> 'draft' and i.finalized_at is not null`
  const gross = sql`coalesce(r.total, r.amount)`
  const net = sql`coalesce(r.amount_excluding_tax, case when i.total = 0 then 0
    else round(${gross}::numeric * i.total_excluding_tax / i.total)::bigint end)`
  return sql`
    select i.finalized_at as at, 'invoice' as kind, i.stripe_invoice_id as source, i.id as invoice_id,
      i.tenant_id, i.currency, i.total_excluding_tax as net, i.total as gross
    from invoices i where ${issued} and ${scope}
    union all
    select i.voided_at, 'void', 'void:' || i.stripe_invoice_id, i.id, i.tenant_id, i.currency,
      credited.net - i.total_excluding_tax, credited.gross - i.total
    from invoices i
    cross join lateral (
      select coalesce(sum(${net}), 0)::bigint as net, coalesce(sum(${gross}), 0)::bigint as gross
      from invoice_reversals r
      where r.invoice_id = i.id and r.kind = 'credit_note' and r.status = 'issued'
    ) credited
    where ${issued} and i.status = 'void' and i.voided_at is not null and ${scope}
    union all
    select i.paid_at, 'payment', i.stripe_invoice_id, i.id, i.tenant_id, i.currency,
      case when i.total = 0 then 0
        else round(i.amount_paid::numeric * i.total_excluding_tax / i.total)::bigint end, i.amount_paid
    from invoices i where i.status = 'paid' and ${scope}
    union all
    select r.created_at, r.kind, r.id, i.id, i.tenant_id, i.currency, ${net}, ${gross}
    from invoice_reversals r
    join invoices i on i.id = r.invoice_id
    where (case when r.kind = 'credit_note' then r.status = 'issued' else r.effective end) and ${scope}`
}
