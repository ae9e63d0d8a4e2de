import type { PendingChange, SubscriptionSource } from '@atrium/core/billing/subscriptions'
import { cycleName, planName, seatsLabel } from '@atrium/ui/subscription-status-meta'

export const sourceNames: Readonly<Record<SubscriptionSource, string>> = {
  manual: 'Us alone',
  stripe: 'Stripe',
}

/** What waits: "Starter, 6 seats". */
export function pendingLabel({ plan, cycle, seats }: PendingChange): string {
  return [
    plan && planName(plan),
    cycle && cycleName(cycle).toLowerCase(),
    seats !== undefined && seatsLabel(seats),
  ]
    .filter(Boolean)
    .join(', ')
}
