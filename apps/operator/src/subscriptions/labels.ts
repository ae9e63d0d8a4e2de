import type { PendingChange, SubscriptionSource } from '@atrium/core/billing/subscriptions'
import { cycleNames, planNames, seatsLabel } from '@atrium/ui/subscription-status-meta'

export const sourceNames: Readonly<Record<SubscriptionSource, string>> = {
  manual: 'Us alone',
  stripe: 'Stripe',
}

/** What waits: "Starter, 6 seats". */
export function pendingLabel({ plan, cycle, seats }: PendingChange): string {
  return [
    plan && planNames[plan],
    cycle && cycleNames[cycle].toLowerCase(),
    seats !== undefined && seatsLabel(seats),
  ]
    .filter(Boolean)
    .join(', ')
}
