import type { BillingCycle, SubscriptionStatus } from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { StatusMeta } from './tones.ts'

export const planNames: Readonly<Record<Plan, string>> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
  enterprise: 'Enterprise',
}

export const cycleNames: Readonly<Record<BillingCycle, string>> = {
  month: 'Monthly',
  year: 'Yearly',
}

export const subscriptionStatusMeta: Readonly<Record<SubscriptionStatus, StatusMeta>> = {
  incomplete: { label: 'Waits for payment', tone: 'waiting' },
  incomplete_expired: { label: 'Never paid', tone: 'neutral' },
  trialing: { label: 'Trial', tone: 'good' },
  active: { label: 'Active', tone: 'good' },
  past_due: { label: 'Past due', tone: 'warning' },
  canceled: { label: 'Ended', tone: 'neutral' },
  unpaid: { label: 'Unpaid', tone: 'bad' },
  paused: { label: 'Paused', tone: 'neutral' },
  unknown: { label: 'Unknown', tone: 'warning' },
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
    ? { label: 'Ends with the period', tone: 'warning' }
    : subscriptionStatusMeta[status]
}

/** "12 seats", "1 seat". */
export function seatsLabel(seats: number): string {
  return seats === 1 ? '1 seat' : `${seats.toLocaleString('en')} seats`
}
