import { cursor } from '@atrium/core/paging'
import { type ListPrices, priceState } from '@atrium/core/prices'
import { billingCycle } from '@atrium/core/subscriptions'
import { plan } from '@atrium/core/tenants'
import { currentCursor } from '@atrium/ui/paging'
import { lenient } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

/** What the address of the price catalog carries. */
export const PricesSearch = z.object({
  plan: lenient(plan),
  cycle: lenient(billingCycle),
  state: lenient(priceState),
  trail: trailOf(cursor),
})
export type PricesSearch = z.infer<typeof PricesSearch>

const pricesPerPage = 25

export function pricesQuery({ trail, ...filters }: PricesSearch): ListPrices {
  return { ...filters, cursor: currentCursor(trail), limit: pricesPerPage }
}
