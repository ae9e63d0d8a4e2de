import { plans } from '@atrium/core/billing/plans'
import type { ListSubscriptions } from '@atrium/core/billing/subscriptions'
import { subscriptionSources, subscriptionStatuses } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  currencyWord,
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  slugText,
  textUpTo,
  words,
} from '@atrium/ui/search-params'

/** What the address of the subscriptions list carries. */
export const readSubscriptionsSearch = searchReader({
  q: words,
  status: oneOf(subscriptionStatuses),
  plan: oneOf(plans),
  source: oneOf(subscriptionSources),
  /** Any text while it is being typed; it filters once it can be a currency. */
  currency: textUpTo(20),
  tenantSlug: slugText,
  partnerSlug: slugText,
  cursors: cursorHistoryOf(recordId),
})
export type SubscriptionsSearch = ReturnType<typeof readSubscriptionsSearch>

const subscriptionsPerPage = 25

export function subscriptionsQuery({
  cursors,
  currency,
  ...filters
}: SubscriptionsSearch): ListSubscriptions {
  return {
    ...filters,
    currency: currencyWord(currency),
    cursor: currentCursor(cursors),
    limit: subscriptionsPerPage,
  }
}

/** What the address of a new one carries: the tenant that it is for. */
export const readNewSubscriptionSearch = searchReader({ tenantSlug: slugText })
