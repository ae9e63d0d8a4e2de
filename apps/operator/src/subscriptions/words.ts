import type { PendingChange, SubscriptionSource } from '@atrium/core/subscriptions'
import { cycleNames, planNames, seatWords } from '@atrium/ui/subscription-looks'

export const sourceNames: Readonly<Record<SubscriptionSource, string>> = { manual: 'Us alone', stripe: 'Stripe' }

/** What waits: "Starter, 6 seats". */
export function pendingWords({ plan, cycle, seats }: PendingChange): string {
  return [plan && planNames[plan], cycle && cycleNames[cycle].toLowerCase(), seats !== undefined && seatWords(seats)]
    .filter(Boolean)
    .join(', ')
}
