import type { ListAdjustments, ListPayouts } from '@atrium/core/billing/payouts'
import { adjustmentStates, payoutStatuses } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  currencyWord,
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  slugText,
} from '@atrium/ui/search-params'

const payoutTabs = ['payouts', 'adjustments'] as const

/** The search parameters of the payouts page: the tab and the filters of its list. */
export const readPayoutsSearch = searchReader({
  tab: oneOf(payoutTabs),
  status: oneOf(payoutStatuses),
  state: oneOf(adjustmentStates),
  partnerSlug: slugText,
  currency: currencyWord,
  cursors: cursorHistoryOf(recordId),
})
export type PayoutsSearch = ReturnType<typeof readPayoutsSearch>

const perPage = 25

export function payoutsQuery({
  status,
  partnerSlug,
  currency,
  cursors,
}: PayoutsSearch): ListPayouts {
  return { status, partnerSlug, currency, cursor: currentCursor(cursors), limit: perPage }
}

export function adjustmentsQuery({ state, partnerSlug, cursors }: PayoutsSearch): ListAdjustments {
  return { state, partnerSlug, cursor: currentCursor(cursors), limit: perPage }
}
