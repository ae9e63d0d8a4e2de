import { z } from 'zod'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { plan } from '../tenants/tenants.ts'
import { currencyCode } from './money.ts'
import {
  billingCycle,
  changeOutcomes,
  SubscriptionQuote,
  type SubscriptionTerms,
  TenantSubscription,
  yearlyTotal,
} from './subscriptions.ts'
import { taxBehavior } from './taxes.ts'

/** Days that a tenant's owner has to approve what its partner asked for. */
export const approvalDays = 7

export const approvalKinds = ['start', 'change'] as const
export const approvalKind = z.enum(approvalKinds)
export type ApprovalKind = z.infer<typeof approvalKind>

/**
 * `within_limit`: took effect at once, because the owner had agreed to such amounts beforehand.
 * `replaced`: the partner asked for something else before the owner decided. `unpaid`: within the
 * limit, and never paid, so that it does not count against the limit.
 */
export const approvalStatuses = [
  'pending',
  'approved',
  'declined',
  'expired',
  'replaced',
  'within_limit',
  'unpaid',
] as const
export const approvalStatus = z.enum(approvalStatuses)
export type ApprovalStatus = z.infer<typeof approvalStatus>

/**
 * What a change adds to the price of a period, in minor units, as the price states them; 0 or less
 * where the customer pays no more than before. A new subscription, another cycle, and a price that
 * contains tax in place of one that does not or the other way round count with their whole first
 * period. What is due at once for the rest of a running period is never more than that.
 */
export function addedCost(before: SubscriptionTerms | null, after: SubscriptionTerms): bigint {
  if (before === null || before.taxBehavior !== after.taxBehavior) return after.total
  if (before.cycle === after.cycle) return after.total - before.total
  const dearer = yearlyTotal(after.total, after.cycle) > yearlyTotal(before.total, before.cycle)
  // From month to year a whole year is charged, also where a month then costs less.
  return dearer || after.cycle === 'year' ? after.total : 0n
}

const minor = z.number().int()
const priced = z.object({
  plan,
  cycle: billingCycle,
  seats: z.number().int(),
  /** Of a whole period. */
  totalMinor: minor,
  /** Whether `totalMinor` contains tax. */
  taxBehavior,
})

/** What staff of a tenant's partner asked for or did that charges the tenant. */
export const ApprovalView = z.object({
  id: z.uuid(),
  kind: approvalKind,
  status: approvalStatus,
  currency: z.string(),
  /** Null for a new subscription. */
  before: priced.nullable(),
  after: priced,
  /** What it adds to the price of a period; with tax where the price of `after` contains it. */
  addedMinor: minor,
  partnerName: z.string(),
  /** Address of the person who asked; null once that person was deleted. */
  requestedBy: z.string().nullable(),
  requestedAt: instant,
  /** Until when a pending one can be approved. */
  expiresAt: instant,
  decidedAt: instant.nullable(),
  /** Address of the person who decided. */
  decidedBy: z.string().nullable(),
  /** Why it was declined. */
  reason: z.string().nullable(),
  /** Sent back with the approval: it rises when the price changes. */
  version: z.number().int(),
})
export type ApprovalView = z.infer<typeof ApprovalView>
export const ApprovalPage = page(ApprovalView)
export type ApprovalPage = z.infer<typeof ApprovalPage>

const slug = z.string().max(200)
export const ListApprovals = z.strictObject({
  slug,
  status: approvalStatus.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListApprovals = z.infer<typeof ListApprovals>

export const ApproveRequest = z.strictObject({
  slug,
  id: z.uuid(),
  version: z.number().int().min(1),
  /** Of the preview of the same change; a new subscription has none. */
  quote: SubscriptionQuote.optional(),
})
export type ApproveRequest = z.infer<typeof ApproveRequest>

/** `clientSecret`: with it the browser confirms the first payment of a new subscription. */
export const ApprovalResult = z.object({
  approval: ApprovalView,
  outcome: z.enum(changeOutcomes),
  subscription: TenantSubscription,
  clientSecret: z.string().nullable(),
})
export type ApprovalResult = z.infer<typeof ApprovalResult>

export const DeclineRequest = z.strictObject({
  slug,
  id: z.uuid(),
  reason: line(500).optional(),
})
export type DeclineRequest = z.infer<typeof DeclineRequest>

export const mostSpendingMinor = 1_000_000_000_000
export const SetSpendingLimit = z.strictObject({
  slug,
  currency: currencyCode,
  /** What orders and changes of the partner may add in a calendar month (UTC), without tax. */
  amountMinor: z.number().int().min(1).max(mostSpendingMinor),
})
export type SetSpendingLimit = z.infer<typeof SetSpendingLimit>

/** What the tenant's partner may order in a month without asking. */
export const SpendingLimitView = z.object({
  currency: z.string(),
  amountMinor: minor,
  /** What orders and changes within the limit have added in this calendar month (UTC). */
  usedMinor: minor,
  partnerName: z.string(),
  setBy: z.string().nullable(),
  setAt: instant,
})
export type SpendingLimitView = z.infer<typeof SpendingLimitView>

/** The first moment of the calendar month of `at`, in UTC. */
export function monthStart(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
}
