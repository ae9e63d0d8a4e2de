import type { SubscriptionStatus } from '../platform/choices.ts'

/** Statuses that are never left. */
export const endedStatuses: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired']

/** Whether a subscription is over. */
export function isEnded(status: SubscriptionStatus): boolean {
  return endedStatuses.includes(status)
}
