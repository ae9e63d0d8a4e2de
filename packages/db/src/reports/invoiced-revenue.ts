import { type Expression, sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { invoiceFacts } from './invoice-facts.ts'
import { platformScope } from './reports.ts'

/** Amounts in minor units, without tax. */
export interface InvoicedRow {
  month: string
  currency: string
  invoices: number
  billed: number
  credited: number
  collected: number
  refunded: number
  disputed: number
  recognized: number
}

/** Longer than any period that an invoice covers, so older invoices have nothing left to earn. */
const longestPeriod = '25 months'

/**
 * What line `s` has earned before a moment: the part of its period that has passed, rounded. Before
 * the invoice is issued it is nothing, and nothing again once the invoice is void.
 */
function earned(moment: Expression<unknown>) {
  return sql`case
    when ${moment} <= s.finalized_at or ${moment} > s.void_at or ${moment} <= s.starts then 0
    when ${moment} >= s.ends then s.amount
    else round(s.amount * extract(epoch from ${moment} - s.starts) / extract(epoch from s.ends - s.starts))
  end`
}

/**
 * What invoices did to the books, by month (UTC) and currency; docs/explanation/reports.md defines
 * each figure. `scope` is a partner or `platformScope`. Months as `2027-01`, both included;
 * nothing after `now` counts. Raw SQL: the builder has neither generate_series nor lateral JSON.
 */
export async function readInvoicedRevenue(
  db: Db,
  scope: string,
  { from, to, now }: { from: string; to: string; now: Date },
): Promise<InvoicedRow[]> {
  const inScope = scope === platformScope ? sql`true` : sql`i.partner_id = ${scope}`
  const { rows } = await sql<InvoicedRow>`
    with range as (
      select ${`${from}-01`}::timestamp at time zone 'UTC' as since,
        least((${`${to}-01`}::timestamp + interval '1 month') at time zone 'UTC', ${now}) as until
    ),
    issued as (
      select i.*, case when i.status = 'void' then i.voided_at end as void_at
      from invoices i
      where i.status <> 'draft' and i.finalized_at is not null and ${inScope}
    ),
    -- An invoice's amount without tax and discounts, divided among its lines to the last cent.
    shares as (
      select i.currency, i.finalized_at, i.void_at, l.starts, l.ends,
        case when l.sum = 0 then l.amount
          else round(i.total_excluding_tax * l.upto / l.sum)
            - round(i.total_excluding_tax * (l.upto - l.amount) / l.sum) end as amount
      from issued i
      cross join range
      cross join lateral (
        select (line ->> 'amount')::numeric as amount,
          (line ->> 'periodStart')::timestamptz as starts,
          (line ->> 'periodEnd')::timestamptz as ends,
          sum((line ->> 'amount')::numeric) over (order by position) as upto,
          sum((line ->> 'amount')::numeric) over () as sum
        from jsonb_array_elements(i.lines) with ordinality as lines (line, position)
      ) l
      where i.finalized_at < range.until
        and (i.finalized_at >= range.since - ${longestPeriod}::interval or i.void_at >= range.since)
    ),
    months as (
      select month at time zone 'UTC' as since,
        least((month + interval '1 month') at time zone 'UTC', range.until) as until
      from range, generate_series(${`${from}-01`}::timestamp, ${`${to}-01`}::timestamp, '1 month') as month
    ),
    facts as (
      select at, f.currency, (kind = 'invoice')::int as invoices,
        case when kind in ('invoice', 'void') then net else 0 end as billed,
        case when kind = 'credit_note' then net else 0 end as credited,
        case when kind = 'payment' then net else 0 end as collected,
        case when kind = 'refund' then net else 0 end as refunded,
        case when kind = 'dispute' then net else 0 end as disputed,
        -- A void invoice gives back nothing that its credit notes had given back before.
        case kind when 'credit_note' then -net when 'void' then net + i.total_excluding_tax
          else 0 end::numeric as recognized
      from (${invoiceFacts(inScope)}) f
      join invoices i on i.id = f.invoice_id
      union all
      select months.since, s.currency, 0, 0, 0, 0, 0, 0,
        ${earned(sql.ref('months.until'))} - ${earned(sql.ref('months.since'))}
      from shares s
      join months on months.until > s.finalized_at
        and months.since <= greatest(s.finalized_at, s.ends, s.void_at)
    )
    select to_char(date_trunc('month', at, 'UTC') at time zone 'UTC', 'YYYY-MM') as month, currency,
      sum(invoices)::int as invoices, sum(billed)::bigint as billed, sum(credited)::bigint as credited,
      sum(collected)::bigint as collected, sum(refunded)::bigint as refunded,
      sum(disputed)::bigint as disputed, sum(recognized)::bigint as recognized
    from facts, range
    where at >= range.since and at < range.until
    group by 1, 2
    having sum(invoices) > 0 or bool_or(billed <> 0 or credited <> 0 or collected <> 0
      or refunded <> 0 or disputed <> 0 or recognized <> 0)
    order by 1, 2`.execute(db)
  return rows
}
