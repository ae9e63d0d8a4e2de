import { type CohortQuery, type InvoicedRevenue, longestGrowth } from '@atrium/core/reports/reports'
import { readInvoicedRevenue } from '@atrium/db/reports/invoiced-revenue'
import type { Services } from '../rpc/services.ts'
import { monthsOf } from './months.ts'

/**
 * What invoices brought without tax in the months in which they were paid: the cash view, apart
 * from recurring revenue.
 */
export async function getInvoicedRevenue(
  services: Services,
  scope: string,
  input: CohortQuery,
): Promise<InvoicedRevenue> {
  const { from, to, current } = monthsOf(services, input, { usual: 12, most: longestGrowth })
  const rows = await readInvoicedRevenue(services.database.db, scope, { from, to })
  const months = rows
    .filter((row) => input.currency === undefined || row.currency === input.currency)
    .map(({ amount, ...row }) => ({ ...row, partial: row.month === current, amountMinor: amount }))
  return { asOf: services.clock.now().toISOString(), months }
}
