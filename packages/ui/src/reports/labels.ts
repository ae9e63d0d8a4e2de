import { ownValue } from '@atrium/core/platform/own-value'
import type { Movement, MrrFigure } from '@atrium/core/reports/reports'

const month = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** "Nov 2026" of `2026-11`. */
export function monthName(of: string): string {
  return month.format(new Date(`${of}-01T00:00:00Z`))
}

/** "12.5 %"; a dash for a rate that there is none of. */
export function percent(ratio: number | null): string {
  return ratio === null ? '–' : `${Math.round(ratio * 1000) / 10} %`
}

export const figureNames: Record<MrrFigure, string> = {
  mrr: 'MRR',
  atRisk: 'At risk',
  committed: 'Committed',
  trial: 'On trial',
  paused: 'Paused',
  suspended: 'Suspended and still paying',
}

export const movementNames: Record<Movement, string> = {
  new: 'New',
  reactivation: 'Reactivation',
  expansion: 'Expansion',
  contraction: 'Contraction',
  churn: 'Churn',
  switch_in: 'Came from another currency',
  switch_out: 'Went to another currency',
}

const reasonNames: Readonly<Record<string, string>> = {
  not_told: 'No reason given',
  cancellation_requested: 'Asked to cancel',
  payment_failed: 'Payment failed',
  payment_disputed: 'Payment disputed',
  canceled_by_retention_policy: 'Ended by policy',
  paused: 'Paused',
  transferred: 'No longer with this partner',
  free: 'On a free plan now',
  trialing: 'Back on trial',
  incomplete: 'First payment missing',
  incomplete_expired: 'First payment never made',
}

/** Why tenants left, as people say it; a word that is not known here as it is. */
export function reasonName(reason: string): string {
  return (
    ownValue(reasonNames, reason) ??
    reason.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())
  )
}

export const planNames = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
  enterprise: 'Enterprise',
} as const
export const cycleNames = { month: 'monthly', year: 'yearly' } as const
