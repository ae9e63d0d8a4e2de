import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { platformScope } from './reports.ts'

export interface InvoicedRow {
  month: string
  currency: string
  invoices: number
  amount: number
}

/**
 * What paid invoices brought without tax, by month of payment and currency. Each amount is rounded
 * half away from zero, as the partners' share of it is computed; an invoice settled from a balance
 * alone brings nothing. Months as `2027-01`, both included.
 */
export async function readInvoicedRevenue(
  db: Db,
  scope: string,
  { from, to }: { from: string; to: string },
): Promise<InvoicedRow[]> {
  const { rows } = await sql<InvoicedRow>`
    select to_char(date_trunc('month', i.paid_at, 'UTC') at time zone 'UTC', 'YYYY-MM') as month, i.currency, count(*)::int as invoices,
      sum(case when i.total = 0 then 0 else round(i.amount_paid::numeric * i.total_excluding_tax / i.total) end)::bigint as amount
    from invoices i
    where i.status = 'paid' and i.paid_at >= ${`${from}-01`}::timestamp at time zone 'UTC'
      and i.paid_at < (${`${to}-01`}::timestamp + interval '1 month') at time zone 'UTC'
      and ${scope === platformScope ? sql`true` : sql`i.partner_id = ${scope}`}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}
