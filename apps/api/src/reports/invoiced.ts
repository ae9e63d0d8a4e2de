import { type CohortQuery, type InvoicedRevenue, longestGrowth } from '@atrium/core/reports/reports'
import { readInvoicedRevenue } from '@atrium/db/reports/invoiced-revenue'
import type { Services } from '../rpc/services.ts'
import { monthsOf } from './months.ts'

/**
 * What invoices did to the books, month by month and without tax: billed, credited, collected,
 * refunded, disputed and recognized revenue. `scope`: a partner or the platform.
 */
export async function getInvoicedRevenue(
  services: Services,
  scope: string,
  input: CohortQuery,
): Promise<InvoicedRevenue> {
  const { from, to, current } = monthsOf(services, input, { usual: 12, most: longestGrowth })
  const now = services.clock.now()
  const rows = await readInvoicedRevenue(services.database.db, scope, { from, to, now })
  const months = rows
    .filter((row) => input.currency === undefined || row.currency === input.currency)
    .map((row) => ({
      month: row.month,
      currency: row.currency,
      partial: row.month === current,
      invoices: row.invoices,
      billedMinor: row.billed,
      creditedMinor: row.credited,
      collectedMinor: row.collected,
      refundedMinor: row.refunded,
      disputedMinor: row.disputed,
      recognizedMinor: row.recognized,
    }))
  return { asOf: now.toISOString(), months }
}
