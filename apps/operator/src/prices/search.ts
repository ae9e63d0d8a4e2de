import { plans } from '@atrium/core/billing/plans'
import type { ListPrices } from '@atrium/core/billing/prices'
import { billingCycles, priceStates } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import { cursorHistoryOf, oneOf, recordId, searchReader } from '@atrium/ui/search-params'

/** What the address of the price catalog carries. */
export const readPricesSearch = searchReader({
  plan: oneOf(plans),
  cycle: oneOf(billingCycles),
  state: oneOf(priceStates),
  cursors: cursorHistoryOf(recordId),
})
export type PricesSearch = ReturnType<typeof readPricesSearch>

const pricesPerPage = 25

export function pricesQuery({ cursors, ...filters }: PricesSearch): ListPrices {
  return { ...filters, cursor: currentCursor(cursors), limit: pricesPerPage }
}
