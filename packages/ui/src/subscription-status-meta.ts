import type {
  BillingCycle,
  PendingChange,
  SubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { translations } from './messages.ts'
import type { StatusMeta, Tone } from './tones.ts'

const t = translations('ui.labels')

export const planName = (plan: Plan): string => t(`plans.${plan}`)

export const cycleName = (cycle: BillingCycle): string => t(`cycles.${cycle}`)

/** "Business, monthly". */
export const planAndCycle = (plan: Plan, cycle: BillingCycle): string =>
  t(`planAndCycle.${cycle}`, { plan: planName(plan) })

const tones: Readonly<Record<SubscriptionStatus, Tone>> = {
  incomplete: 'waiting',
  incomplete_expired: 'neutral',
  trialing: 'good',
  active: 'good',
  past_due: 'warning',
  canceled: 'neutral',
  unpaid: 'bad',
  paused: 'neutral',
  unknown: 'warning',
}

export function subscriptionStatusMeta(status: SubscriptionStatus): StatusMeta {
  return { label: t(`subscriptionStatuses.${status}`), tone: tones[status] }
}

/** The state as people read it; one that is being canceled says so. */
export function subscriptionMeta({
  status,
  cancelAtPeriodEnd,
}: {
  status: SubscriptionStatus
  cancelAtPeriodEnd: boolean
}): StatusMeta {
  return cancelAtPeriodEnd && status === 'active'
    ? { label: t('subscriptionStatuses.ending'), tone: 'warning' }
    : subscriptionStatusMeta(status)
}

/** "12 seats", "1 seat". */
export const seatsLabel = (seats: number): string => t('seats', { count: seats })

/** What changes at the end of the period: "Starter, 6 seats". */
export function pendingLabel({ plan, cycle, seats }: PendingChange): string {
  return [
    plan && planName(plan),
    cycle && t(`pendingCycles.${cycle}`),
    seats !== undefined && seatsLabel(seats),
  ]
    .filter(Boolean)
    .join(', ')
}
