import type { PendingChange, SubscriptionView } from '@atrium/core/billing/subscriptions'
import { translations } from '@atrium/ui/messages'
import { cycleName, planName, seatsLabel } from '@atrium/ui/subscription-status-meta'

const t = translations('operator.subscriptions')

/** "Monthly, 6 seats". */
export function cycleAndSeats({ cycle, seats }: Pick<SubscriptionView, 'cycle' | 'seats'>): string {
  return t('columns.cycleAndSeats', { cycle: cycleName(cycle), seats: seatsLabel(seats) })
}

/** A scheduled change: "Starter, 6 seats". */
export function pendingLabel({ plan, cycle, seats }: PendingChange): string {
  return [
    plan && planName(plan),
    cycle && t(`pending.${cycle}`),
    seats !== undefined && seatsLabel(seats),
  ]
    .filter(Boolean)
    .join(', ')
}
