import { currencyCode } from '@atrium/core/money'
import { cursor } from '@atrium/core/paging'
import { adjustmentState, payoutStatus } from '@atrium/core/payout-states'
import type { ListAdjustments, ListPayouts } from '@atrium/core/payouts'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, slugWord } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

export const payoutTabs = ['payouts', 'adjustments'] as const

/** What the address of the payouts page carries: the tab, and the filters of the list in it. */
export const PayoutsSearch = z.object({
  tab: lenient(z.enum(payoutTabs)),
  status: lenient(payoutStatus),
  state: lenient(adjustmentState),
  partnerSlug: slugWord,
  currency: lenient(currencyCode),
  trail: trailOf(cursor),
})
export type PayoutsSearch = z.infer<typeof PayoutsSearch>

const perPage = 25

export function payoutsQuery({ status, partnerSlug, currency, trail }: PayoutsSearch): ListPayouts {
  return { status, partnerSlug, currency, cursor: currentCursor(trail), limit: perPage }
}

export function adjustmentsQuery({ state, partnerSlug, trail }: PayoutsSearch): ListAdjustments {
  return { state, partnerSlug, cursor: currentCursor(trail), limit: perPage }
}
