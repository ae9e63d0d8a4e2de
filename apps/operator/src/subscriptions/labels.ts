import type { SubscriptionView } from '@atrium/core/billing/subscriptions'
import { translations } from '@atrium/ui/messages'
import { cycleName, seatsLabel } from '@atrium/ui/subscription-status-meta'

const t = translations('operator.subscriptions')

/** "Monthly, 6 seats". */
export function cycleAndSeats({ cycle, seats }: Pick<SubscriptionView, 'cycle' | 'seats'>): string {
  return t('columns.cycleAndSeats', { cycle: cycleName(cycle), seats: seatsLabel(seats) })
}
