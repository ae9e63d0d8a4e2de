import { z } from 'zod'
import {
  billingCycles,
  type SubscriptionStatus,
  subscriptionSources,
  subscriptionStatuses,
} from '../platform/choices.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'
import { type Plan, plan } from '../tenants/tenants.ts'
import { currencyCode } from './money.ts'
import { TaxAmount, type TaxBehavior, taxBehavior } from './taxes.ts'

export { billingCycles, subscriptionSources, subscriptionStatuses }

export const billingCycle = z.enum(billingCycles)
export type BillingCycle = z.infer<typeof billingCycle>

export const subscriptionSource = z.enum(subscriptionSources)
export type SubscriptionSource = z.infer<typeof subscriptionSource>

export const subscriptionStatus = z.enum(subscriptionStatuses)
export type { SubscriptionStatus }

/** A change that waits for the end of the period. */
export const PendingChange = z.object({
  plan: plan.optional(),
  cycle: billingCycle.optional(),
  seats: z.number().int().optional(),
  effectiveAt: instant,
  requestedBy: z.string().nullable(),
})
export type PendingChange = z.infer<typeof PendingChange>

/** Statuses in which the plan of the subscription is the plan of the tenant. */
export const grantingStatuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due']

/**
 * Statuses in which plan, cycle and seats can be changed. Not while a payment is missing: a change
 * would credit time that was never paid.
 */
export const changeableStatuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'paused']

/** Statuses that count as recurring revenue (docs/reference/contract.md, subscriptions). */
export const payingStatuses: readonly SubscriptionStatus[] = ['active', 'past_due']

export const mostSeats = 1_000_000
/** How long a quoted amount holds, in minutes. */
export const quoteMinutes = 10
/**
 * How long before the end of a period a scheduled change is compared once more with the members and
 * the limits of the plan, in minutes.
 */
export const changeLeadMinutes = 60

/** Maps the payment processor's status to ours; `unknown` for a status that was added later. */
export function toSubscriptionStatus(word: string): SubscriptionStatus {
  return subscriptionStatuses.find((status) => status === word) ?? 'unknown'
}

/**
 * Where an operator may move a manual subscription by hand. Canceling is an act of its own, and
 * what has ended stays so.
 */
const manualMoves: Readonly<Partial<Record<SubscriptionStatus, readonly SubscriptionStatus[]>>> = {
  trialing: ['active', 'paused'],
  active: ['past_due', 'paused'],
  past_due: ['active', 'unpaid'],
  unpaid: ['active', 'past_due'],
  paused: ['active'],
  unknown: ['active', 'past_due', 'paused'],
}

export function mayMoveByHand(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return from === to || (manualMoves[from]?.includes(to) ?? false)
}

/**
 * What a whole period costs: the amount of the period where there is one, else seats times the
 * amount per seat.
 */
export function periodTotal(terms: {
  perSeatAmount: bigint
  periodAmount: bigint | null
  seats: number
}): bigint {
  return terms.periodAmount ?? terms.perSeatAmount * BigInt(terms.seats)
}

/**
 * A year's worth, in whole minor units: the only form in which amounts of different cycles are
 * compared or summed.
 */
export function yearlyTotal(total: bigint, cycle: BillingCycle): bigint {
  return cycle === 'year' ? total : total * 12n
}

/**
 * The end of the period that holds `at`, counted in whole months or years from `anchor` (UTC). The
 * 31st falls on the last day of shorter months and comes back after them. `start` is the end of the
 * period before.
 */
export function periodAt(anchor: Date, cycle: BillingCycle, at: Date): { start: Date; end: Date } {
  const monthsEach = cycle === 'year' ? 12 : 1
  const between =
    (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth()
  let periods = Math.floor(between / monthsEach)
  // The period that begins in the month of `at` may begin after it.
  if (afterMonths(anchor, periods * monthsEach) > at) periods -= 1
  return {
    start: afterMonths(anchor, periods * monthsEach),
    end: afterMonths(anchor, (periods + 1) * monthsEach),
  }
}

function afterMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor)
  moved.setUTCDate(1)
  moved.setUTCMonth(anchor.getUTCMonth() + months)
  const lastDay = new Date(
    Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0),
  ).getUTCDate()
  moved.setUTCDate(Math.min(anchor.getUTCDate(), lastDay))
  return moved
}

/** The terms of a subscription, with what they cost. */
export interface SubscriptionTerms {
  plan: Plan
  cycle: BillingCycle
  seats: number
  /** Of a whole period, in minor units. */
  total: bigint
  /** Whether `total` contains tax. */
  taxBehavior: TaxBehavior
}

/**
 * When a change takes effect. More goes at once and is charged by the second; less waits for the
 * end of the period and gives nothing back. Compared is what the terms cost per time, so a cheaper
 * plan by the year is less than a dear one by the month. One exception: the same plan with no fewer
 * seats by the year instead of the month goes at once, because a whole year is charged for it. From
 * year to month always waits, and so does a price that contains tax in place of one that does not,
 * or the other way round, because their amounts cannot be compared. During a trial and a pause
 * everything goes at once.
 */
export function effectOf(
  before: SubscriptionTerms & { status: SubscriptionStatus },
  after: SubscriptionTerms,
): 'now' | 'period_end' {
  if (before.status === 'trialing' || before.status === 'paused') return 'now'
  if (before.cycle === 'year' && after.cycle === 'month') return 'period_end'
  if (before.taxBehavior !== after.taxBehavior) return 'period_end'
  const commits =
    before.cycle !== after.cycle && after.plan === before.plan && after.seats >= before.seats
  const costsMore = yearlyTotal(after.total, after.cycle) >= yearlyTotal(before.total, before.cycle)
  return commits || costsMore ? 'now' : 'period_end'
}

const amount = z.number().int().min(0)
const perSeat = amount.max(1_000_000_000, says('tooMuch'))
const wholePeriod = amount.max(1_000_000_000_000, says('tooMuch'))
const seatCount = z.number().int().min(1).max(mostSeats)
const comment = line(500)
const moment = instant.transform((value) => new Date(value).toISOString())

export const CreateSubscription = z
  .strictObject({
    tenantSlug: slugFilter,
    source: subscriptionSource.default('manual'),
    plan,
    cycle: billingCycle,
    currency: currencyCode,
    seats: seatCount,
    /** Of a manual one; without it the price catalog says what a seat costs. */
    perSeatAmount: perSeat.optional(),
    /** Of a manual one, where the whole period costs something else than seats times amount. */
    periodAmount: wholePeriod.nullable().optional(),
    trialDays: z.number().int().min(0).max(730).optional(),
    /** When a manual one began; now without it, and never later. */
    startAt: moment.optional(),
  })
  .superRefine((input, check) => {
    if (input.source === 'manual') return
    for (const field of ['perSeatAmount', 'periodAmount', 'startAt'] as const) {
      if (input[field] === undefined) continue
      check.addIssue({
        code: 'custom',
        path: [field],
        message: issueText('manualOnly'),
      })
    }
  })
export type CreateSubscription = z.infer<typeof CreateSubscription>

/** Any text, so that an impossible id returns 404 like an unknown one. */
const id = z
  .string()
  .max(200)
  .transform((text) =>
    z.uuid().safeParse(text).success ? text.toLowerCase() : '00000000-0000-0000-0000-000000000000',
  )
export const ReadSubscription = z.strictObject({
  id,
  /** Only the state that held at this instant, instead of the whole history. */
  asOf: moment.optional(),
})
export type ReadSubscription = z.infer<typeof ReadSubscription>

export const UpdateSubscription = z
  .strictObject({
    id,
    version: z.number().int().min(1).optional(),
    plan: plan.optional(),
    cycle: billingCycle.optional(),
    seats: seatCount.optional(),
    perSeatAmount: perSeat.optional(),
    periodAmount: wholePeriod.nullable().optional(),
    status: subscriptionStatus.optional(),
    trialEnd: moment.optional(),
  })
  .refine(
    ({ id: _, version: __, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateSubscription = z.infer<typeof UpdateSubscription>

export const cancelTimes = ['now', 'period_end'] as const
export const CancelSubscription = z.strictObject({
  id,
  when: z.enum(cancelTimes).default('now'),
  comment: comment.optional(),
})
export type CancelSubscription = z.infer<typeof CancelSubscription>

export const ListSubscriptions = z.strictObject({
  q: line(200).optional(),
  status: subscriptionStatus.optional(),
  plan: plan.optional(),
  source: subscriptionSource.optional(),
  currency: currencyCode.optional(),
  tenantSlug: slugFilter.optional(),
  partnerSlug: slugFilter.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListSubscriptions = z.infer<typeof ListSubscriptions>

const standing = {
  plan,
  cycle: billingCycle,
  currency: z.string(),
  /** Per seat and cycle, in minor units; the average where `periodAmount` is set. */
  perSeatAmount: z.number().int(),
  /** Of the whole period, where seats times the amount per seat is not it. */
  periodAmount: z.number().int().nullable(),
  seats: z.number().int(),
  status: subscriptionStatus,
  cancelAtPeriodEnd: z.boolean(),
}

export const SubscriptionView = z.object({
  id: z.uuid(),
  tenantId: z.uuid(),
  tenantSlug: z.string(),
  tenantName: z.string(),
  partnerSlug: z.string().nullable(),
  source: subscriptionSource,
  ...standing,
  /** Whether the amounts contain tax (`inclusive`). */
  taxBehavior,
  /** What a whole period costs. */
  totalMinor: z.number().int(),
  /** A year's worth without tax; 0 while it is not recurring revenue. */
  arrMinor: z.number().int(),
  /** The payment processor's own word. */
  stripeStatus: z.string().nullable(),
  stripeSubscriptionId: z.string().nullable(),
  stripePriceId: z.string().nullable(),
  priceId: z.uuid().nullable(),
  trialStart: instant.nullable(),
  trialEnd: instant.nullable(),
  currentPeriodStart: instant.nullable(),
  currentPeriodEnd: instant.nullable(),
  cancelAt: instant.nullable(),
  /** When the cancellation was requested. */
  canceledAt: instant.nullable(),
  /** When it ended. */
  endedAt: instant.nullable(),
  cancelReason: z.string().nullable(),
  cancelFeedback: z.string().nullable(),
  cancelComment: z.string().nullable(),
  /** Invoices are still made and not collected. */
  collectionPaused: z.object({ behavior: z.string(), resumesAt: instant.nullable() }).nullable(),
  pausedAt: instant.nullable(),
  pauseReason: z.string().nullable(),
  pastDueSince: instant.nullable(),
  pending: PendingChange.nullable(),
  /** Why the waiting change could not be carried out at the last try. */
  pendingError: z.string().nullable(),
  latestInvoiceId: z.string().nullable(),
  version: z.number().int(),
  createdAt: instant,
  updatedAt: instant,
})
export type SubscriptionView = z.infer<typeof SubscriptionView>
export const SubscriptionPage = page(SubscriptionView)
export type SubscriptionPage = z.infer<typeof SubscriptionPage>

/**
 * A state that a subscription was in from `validFrom` until before `validTo`; null while it holds.
 */
export const SubscriptionState = z.object({
  ...standing,
  partnerSlug: z.string().nullable(),
  arrMinor: z.number().int(),
  validFrom: instant,
  validTo: instant.nullable(),
})
export type SubscriptionState = z.infer<typeof SubscriptionState>

/** The newest 500 states. */
export const mostStates = 500
export const SubscriptionDetail = SubscriptionView.extend({ history: z.array(SubscriptionState) })
export type SubscriptionDetail = z.infer<typeof SubscriptionDetail>

/** A tenant's subscription as its own people see it. */
export const TenantSubscription = SubscriptionView.omit({
  tenantId: true,
  tenantName: true,
  partnerSlug: true,
  arrMinor: true,
  stripeStatus: true,
  stripeSubscriptionId: true,
  stripePriceId: true,
  latestInvoiceId: true,
}).extend({
  /** One for each member, suspended ones included; there cannot be fewer seats. */
  assignedSeats: z.number().int(),
})
export type TenantSubscription = z.infer<typeof TenantSubscription>

const slug = z.string().max(200)
/** The currency may be named, and must be the subscription's own. */
const change = {
  plan: plan.optional(),
  cycle: billingCycle.optional(),
  seats: seatCount.optional(),
  currency: currencyCode.optional(),
}
const namesChange = ({
  plan: toPlan,
  cycle,
  seats,
  currency,
}: Partial<Record<'plan' | 'cycle' | 'seats' | 'currency', unknown>>) =>
  [toPlan, cycle, seats, currency].some((value) => value !== undefined)

export const PreviewSubscriptionChange = z
  .strictObject({ slug, ...change })
  .refine(namesChange, says('noSubscriptionChange'))
  .meta({ openapi: { minProperties: 1 } })
export type PreviewSubscriptionChange = z.infer<typeof PreviewSubscriptionChange>

/** What an amount was quoted for; sent back as it came. */
export const SubscriptionQuote = z.strictObject({
  /** The moment that was computed with. */
  prorationDate: moment,
  validUntil: moment,
  /** Of the subscription when it was quoted: any change after it makes the quote void. */
  version: z.number().int().min(1),
  priceId: z.uuid().nullable(),
})
export type SubscriptionQuote = z.infer<typeof SubscriptionQuote>

export const ChangeSubscription = z
  .strictObject({ slug, ...change, quote: SubscriptionQuote })
  .refine(namesChange, says('noSubscriptionChange'))
  .meta({ openapi: { minProperties: 1 } })
export type ChangeSubscription = z.infer<typeof ChangeSubscription>

const quotedTerms = { plan, cycle: billingCycle, seats: z.number().int() }
const quoted = z.object({ ...quotedTerms, totalMinor: z.number().int() })

const PreviewLine = z.object({
  description: z.string().nullable(),
  amountMinor: z.number().int(),
  quantity: z.number().int().nullable(),
  proration: z.boolean(),
  periodStart: instant,
  periodEnd: instant,
})

/** What an invoice would come to, in minor units. */
export const PreviewTotals = z.object({
  netMinor: z.number().int(),
  taxes: z.array(TaxAmount),
  taxMinor: z.number().int(),
  totalMinor: z.number().int(),
})
export type PreviewTotals = z.infer<typeof PreviewTotals>

export const ChangePreview = z.object({
  /** `now` is charged at once; `period_end` waits and costs nothing now. */
  effect: z.enum(['now', 'period_end']),
  effectiveAt: instant,
  /** False when only we computed it: then it is an estimate without tax. */
  exact: z.boolean(),
  currency: z.string(),
  before: quoted,
  after: quoted,
  lines: z.array(PreviewLine),
  /** Due now, without tax. */
  netMinor: z.number().int(),
  taxes: z.array(TaxAmount),
  taxMinor: z.number().int(),
  /** Due now, with tax; negative for a credit. */
  totalMinor: z.number().int(),
  /** What the next whole period costs, with tax where it is exact. */
  nextAmountMinor: z.number().int(),
  /** The same, split into net and taxes, with the terms of that period: others may be scheduled. */
  next: PreviewTotals.extend(quotedTerms),
  /** The caller is staff of the partner: the change waits for the owner's approval. */
  needsApproval: z.boolean(),
  /** Sent back as it is with the change. */
  quote: z.object({
    prorationDate: instant,
    validUntil: instant,
    version: z.number().int(),
    priceId: z.uuid().nullable(),
  }),
})
export type ChangePreview = z.infer<typeof ChangePreview>

/**
 * `awaiting_payment`: nothing has changed yet, the payment needs something from the customer.
 * `awaiting_approval`: nothing has changed yet, the tenant's owner was asked to agree to it.
 */
export const changeOutcomes = [
  'applied',
  'scheduled',
  'awaiting_payment',
  'awaiting_approval',
] as const
export const ChangeResult = z.object({
  outcome: z.enum(changeOutcomes),
  subscription: TenantSubscription,
  /** The request that waits for the owner. */
  approvalId: z.uuid().nullable(),
})
export type ChangeResult = z.infer<typeof ChangeResult>

export const StartSubscription = z.strictObject({
  slug,
  plan,
  cycle: billingCycle,
  currency: currencyCode,
  seats: seatCount,
})
export type StartSubscription = z.infer<typeof StartSubscription>

/** What `StartSubscription` with the same terms charges. */
export const StartPreview = z.object({
  plan,
  cycle: billingCycle,
  currency: z.string(),
  seats: z.number().int(),
  /** When the trial ends and the first whole period is charged; null without a trial. */
  trialEnd: instant.nullable(),
  /** Of the first invoice; of nothing while a trial runs. */
  lines: z.array(PreviewLine),
  ...PreviewTotals.shape,
  /** What of the customer's credit pays for it. */
  creditMinor: z.number().int(),
  /** Charged at once. */
  amountDueMinor: z.number().int(),
  /** Every whole period after it. */
  recurring: PreviewTotals,
  /** When the next invoice after the first one is made. */
  nextInvoiceAt: instant,
  /** The order waits for the owner's approval. */
  needsApproval: z.boolean(),
})
export type StartPreview = z.infer<typeof StartPreview>

/**
 * `clientSecret`: with it the browser confirms the first payment; null when there is nothing to
 * confirm. `approvalId`: the request that waits for the tenant's owner; nothing has begun then, and
 * `subscription` is null.
 */
export const StartResult = z.object({
  subscription: TenantSubscription.nullable(),
  clientSecret: z.string().nullable(),
  publishableKey: z.string().nullable(),
  /** The local workplace's own page to confirm it; null with the real payment processor. */
  confirmationUrl: z.string().nullable(),
  approvalId: z.uuid().nullable(),
})
export type StartResult = z.infer<typeof StartResult>

export const CancelTenantSubscription = z.strictObject({ slug, comment: comment.optional() })
export type CancelTenantSubscription = z.infer<typeof CancelTenantSubscription>
