import { toShownNumber } from '@atrium/core/billing/money'
import {
  payingStatuses,
  periodTotal,
  type SubscriptionState,
  type SubscriptionView,
  TenantSubscription,
  yearlyTotal,
} from '@atrium/core/billing/subscriptions'
import { netOf } from '@atrium/core/billing/taxes'
import type { SubscriptionRow, SubscriptionStateRow } from '@atrium/db/billing/subscriptions'
import { readFailure } from '../../rpc/reader-language.ts'

const time = (date: Date | null) => date?.toISOString() ?? null

export function toSubscriptionView(row: SubscriptionRow): SubscriptionView {
  const total = periodTotal(row)
  return {
    id: row.id,
    tenantId: row.tenantId,
    tenantSlug: row.tenantSlug,
    tenantName: row.tenantName,
    partnerSlug: row.partnerSlug,
    source: row.source,
    plan: row.plan,
    cycle: row.cycle,
    currency: row.currency,
    seats: row.seats,
    status: row.status,
    perSeatAmount: toShownNumber(row.perSeatAmount),
    periodAmount: row.periodAmount === null ? null : toShownNumber(row.periodAmount),
    taxBehavior: row.taxBehavior,
    totalMinor: toShownNumber(total),
    arrMinor: payingStatuses.includes(row.status)
      ? toShownNumber(yearlyTotal(netOf(total, row), row.cycle))
      : 0,
    stripeStatus: row.stripeStatus,
    stripeSubscriptionId: row.stripeSubscriptionId,
    stripePriceId: row.stripePriceId,
    priceId: row.priceId,
    trialStart: time(row.trialStart),
    trialEnd: time(row.trialEnd),
    currentPeriodStart: time(row.currentPeriodStart),
    currentPeriodEnd: time(row.currentPeriodEnd),
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelAt: time(row.cancelAt),
    canceledAt: time(row.canceledAt),
    endedAt: time(row.endedAt),
    cancelReason: row.cancelReason,
    cancelFeedback: row.cancelFeedback,
    cancelComment: row.cancelComment,
    collectionPaused:
      row.collectionPausedBehavior === null
        ? null
        : { behavior: row.collectionPausedBehavior, resumesAt: time(row.collectionResumesAt) },
    pausedAt: time(row.pausedAt),
    pauseReason: row.pauseReason,
    pastDueSince: time(row.pastDueSince),
    pending: row.pending,
    pendingError: readFailure(row.pendingError),
    latestInvoiceId: row.latestInvoiceId,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** As the tenant's own people see it. `assignedSeats`: one for each member. */
export function toTenantSubscription(
  row: SubscriptionRow,
  assignedSeats: number,
): TenantSubscription {
  const view = toSubscriptionView(row)
  return { ...TenantSubscription.omit({ assignedSeats: true }).strip().parse(view), assignedSeats }
}

export function toSubscriptionState({
  arr,
  validFrom,
  validTo,
  ...row
}: SubscriptionStateRow): SubscriptionState {
  return { ...row, arrMinor: arr, validFrom: validFrom.toISOString(), validTo: time(validTo) }
}
