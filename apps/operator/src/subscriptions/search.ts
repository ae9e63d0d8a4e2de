import { currencyCode } from '@atrium/core/money'
import { cursor } from '@atrium/core/paging'
import { type ListSubscriptions, subscriptionSource, subscriptionStatus } from '@atrium/core/subscriptions'
import { plan } from '@atrium/core/tenants'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, slugWord, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

/** What the address of the subscriptions list carries. */
export const SubscriptionsSearch = z.object({
  q: words,
  status: lenient(subscriptionStatus),
  plan: lenient(plan),
  source: lenient(subscriptionSource),
  /** Any text while it is being typed; it filters once it can be a currency. */
  currency: lenient(z.string().trim().min(1).max(20)),
  tenantSlug: slugWord,
  partnerSlug: slugWord,
  trail: trailOf(cursor),
})
export type SubscriptionsSearch = z.infer<typeof SubscriptionsSearch>

const subscriptionsPerPage = 25

export function subscriptionsQuery({ trail, currency, ...filters }: SubscriptionsSearch): ListSubscriptions {
  const named = currencyCode.safeParse(currency)
  return { ...filters, currency: named.data, cursor: currentCursor(trail), limit: subscriptionsPerPage }
}

/** What the address of a new one carries: the tenant that it is for. */
export const NewSubscriptionSearch = z.object({ tenantSlug: slugWord })
export type NewSubscriptionSearch = z.infer<typeof NewSubscriptionSearch>
