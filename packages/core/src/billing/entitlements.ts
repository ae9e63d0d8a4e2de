import { z } from 'zod'
import { type ErrorText, errorText } from '../platform/error-text.ts'
import { instant } from '../platform/text.ts'
import { fileQuotaBytes, type Plan, plan, plans } from '../tenants/tenants.ts'
import { toMinorNumber } from './money.ts'
import type { SubscriptionSource, SubscriptionStatus } from './subscriptions.ts'

/**
 * What an installation gives without payment, and for how long it waits for one
 * (docs/how-to/operate.md).
 */
export interface EntitlementRules {
  /**
   * Days between a missed payment and the limit, and between the end of a subscription and the free
   * plan.
   */
  graceDays: number
  /** Members that a workplace on the free plan may have. */
  freeSeats: number
  /** The highest plan and the most seats that a trial gives, whatever was subscribed to. */
  trial: { plan: Plan; seats: number }
}

/** The subscription that decides: the one that runs, else the last one that ever gave its plan. */
export interface EntitlingSubscription {
  source: SubscriptionSource
  plan: Plan
  seats: number
  status: SubscriptionStatus
  currency: string
  trialEnd: Date | null
  /** Since when a payment is missing. Kept when the subscription ends while one is. */
  pastDueSince: Date | null
  pausedAt: Date | null
  endedAt: Date | null
}

/**
 * The oldest invoice that is overdue; of a manual subscription, which has no invoices, what its
 * last state says.
 */
export interface OverdueInvoice {
  number: string | null
  /** Minor units of `currency`; null where it is not known. */
  amount: bigint | null
  currency: string
  since: Date
}

/**
 * Plan and seats that an operator or the owning partner gave without a subscription; 0 seats mean
 * no limit.
 */
export interface PlanGrant {
  plan: Plan
  seats: number
  createdAt: Date
  endsAt: Date | null
}

export interface EntitlementFacts {
  subscription: EntitlingSubscription | null
  overdue: OverdueInvoice | null
  grant: PlanGrant | null
}

/**
 * `active`: paid, in a trial or granted. `grace`: a payment is missing or the subscription is over,
 * and nothing is taken away until `until`. `limited`: nothing can be added until the payment is
 * made. `free`: the free plan.
 */
export const entitlementStates = ['active', 'grace', 'limited', 'free'] as const
export type EntitlementState = (typeof entitlementStates)[number]

/** Why: what gives the plan, or what is wrong with it. */
export const entitlementReasons = [
  'subscription',
  'trial',
  'grant',
  'free',
  'payment_missing',
  'ended',
  'paused',
] as const
export type EntitlementReason = (typeof entitlementReasons)[number]

export interface Entitlements {
  plan: Plan
  /** How many members there may be; 0: no limit. */
  seats: number
  storageBytes: number
  state: EntitlementState
  reason: EntitlementReason
  /** Since when the state holds, where something happened; else null. */
  since: Date | null
  /** When the state, the plan or the seats change by themselves; null: not by the clock. */
  until: Date | null
  /** From when nothing can be added unless it is paid; null while nothing is due. */
  limitedFrom: Date | null
  /** What has to be paid to leave `limited` or its `grace`. */
  overdue: OverdueInvoice | null
}

const dayMs = 86_400_000
const after = (at: Date, days: number) => new Date(at.getTime() + days * dayMs)
const earlier = (a: Date | null, b: Date | null) => (a !== null && (b === null || a < b) ? a : b)
const higherPlan = (a: Plan, b: Plan) => (plans.indexOf(a) > plans.indexOf(b) ? a : b)
const lowerPlan = (a: Plan, b: Plan) => (plans.indexOf(a) < plans.indexOf(b) ? a : b)

type BaseEntitlements = Omit<Entitlements, 'storageBytes'>

/**
 * What a workplace may have at `now`, and why. Everything that depends on the plan asks this
 * function: members, seats, the quota of the file space, the tenant's `plan` and `seats`, billing
 * and its jobs (docs/reference/contract.md, entitlements).
 */
export function entitlementsOf(
  facts: EntitlementFacts,
  rules: EntitlementRules,
  now: Date,
): Entitlements {
  const provided = grantedEntitlements(facts, rules, now)
  return { ...provided, storageBytes: fileQuotaBytes[provided.plan] }
}

function grantedEntitlements(
  { subscription, overdue, grant }: EntitlementFacts,
  rules: EntitlementRules,
  now: Date,
): BaseEntitlements {
  const base = withoutSubscription(grant, rules, now)
  if (subscription === null) return owing(base, overdue, rules, now)
  const { plan: paidPlan, seats, status, pastDueSince } = subscription
  const paid = { plan: paidPlan, seats, since: null, until: null, limitedFrom: null, overdue: null }
  switch (status) {
    case 'trialing': {
      // The processor reports its end, possibly late.
      const until =
        subscription.trialEnd !== null && subscription.trialEnd > now ? subscription.trialEnd : null
      return { ...paid, ...inTrial(subscription, rules), state: 'active', reason: 'trial', until }
    }
    case 'past_due':
      return missing(
        { ...paid, state: 'active', reason: 'subscription' },
        pastDueSince,
        overdue,
        rules,
        now,
      )
    case 'unpaid': {
      // The processor has given up: no further grace for what is added, and as long again until the
      // free plan.
      const closes = pastDueSince === null ? null : after(pastDueSince, 2 * rules.graceDays)
      const over = closes !== null && closes <= now
      const held = over ? base : { ...paid, plan: higherPlan(paidPlan, base.plan) }
      return {
        ...held,
        state: 'limited',
        reason: 'payment_missing',
        since: pastDueSince,
        until: over ? base.until : closes,
        limitedFrom: pastDueSince === null ? null : after(pastDueSince, rules.graceDays),
        overdue,
      }
    }
    case 'paused':
    case 'canceled':
      return owing(afterEnd(subscription, base, rules, now), overdue, rules, now)
    case 'incomplete':
    case 'incomplete_expired':
      return owing(base, overdue, rules, now)
    default:
      return { ...paid, state: 'active', reason: 'subscription' }
  }
}

/** The grant in force, else the free plan, which an operator may also have given. */
function withoutSubscription(
  grant: PlanGrant | null,
  { freeSeats }: EntitlementRules,
  now: Date,
): BaseEntitlements {
  if (grant === null || (grant.endsAt !== null && grant.endsAt <= now)) {
    return {
      plan: 'free',
      seats: freeSeats,
      state: 'free',
      reason: 'free',
      since: grant?.endsAt ?? null,
      until: null,
      limitedFrom: null,
      overdue: null,
    }
  }
  const isFreePlan = grant.plan === 'free' && grant.seats > 0 && grant.seats <= freeSeats
  return {
    plan: grant.plan,
    seats: grant.seats,
    state: isFreePlan ? 'free' : 'active',
    reason: 'grant',
    since: grant.createdAt,
    until: grant.endsAt,
    limitedFrom: null,
    overdue: null,
  }
}

function inTrial({ plan: requested, seats }: EntitlingSubscription, { trial }: EntitlementRules) {
  return { plan: lowerPlan(requested, trial.plan), seats: Math.min(seats, trial.seats) }
}

/**
 * After the end, the plan and its file space stay for the grace period. Seats immediately become
 * those of the free plan or the grant: no one is removed, and no one is added for free.
 */
function afterEnd(
  subscription: EntitlingSubscription,
  base: BaseEntitlements,
  rules: EntitlementRules,
  now: Date,
): BaseEntitlements {
  const { status, trialEnd, pausedAt, endedAt } = subscription
  const endAt = status === 'paused' ? pausedAt : endedAt
  if (endAt === null) return base
  const wasTrial = trialEnd !== null && endAt <= trialEnd
  const held = wasTrial ? inTrial(subscription, rules).plan : subscription.plan
  // What was given after the end is the newer decision, also where it is less.
  if (base.reason === 'grant' && base.since !== null && base.since >= endAt) return base
  const closes = after(endAt, rules.graceDays)
  const reason = status === 'paused' ? ('paused' as const) : ('ended' as const)
  if (closes <= now || higherPlan(held, base.plan) === base.plan) {
    return base.reason === 'free' ? { ...base, reason, since: endAt } : base
  }
  return {
    ...base,
    plan: held,
    state: 'grace',
    reason,
    since: endAt,
    until: earlier(closes, base.until),
  }
}

/** Debts stay debts: an overdue invoice limits also when the subscription that it is of is over. */
function owing(
  provided: BaseEntitlements,
  overdue: OverdueInvoice | null,
  rules: EntitlementRules,
  now: Date,
): BaseEntitlements {
  return overdue === null ? provided : missing(provided, overdue.since, overdue, rules, now)
}

function missing(
  provided: BaseEntitlements,
  since: Date | null,
  overdue: OverdueInvoice | null,
  { graceDays }: EntitlementRules,
  now: Date,
): BaseEntitlements {
  const limitedFrom = since === null ? null : after(since, graceDays)
  const limited = limitedFrom !== null && limitedFrom <= now
  return {
    ...provided,
    state: limited ? 'limited' : 'grace',
    reason: 'payment_missing',
    since: limited ? limitedFrom : since,
    until: limited ? provided.until : earlier(limitedFrom, provided.until),
    limitedFrom,
    overdue,
  }
}

/** Amounts in the minor unit of `currency`. */
export const EntitlementsView = z.object({
  plan,
  /** How many members there may be; 0: no limit. */
  seats: z.number().int(),
  storageBytes: z.number().int(),
  state: z.enum(entitlementStates),
  reason: z.enum(entitlementReasons),
  since: instant.nullable(),
  /** When it changes by itself; null: not by the clock. */
  until: instant.nullable(),
  /** From when nothing can be added unless it is paid. */
  limitedFrom: instant.nullable(),
  overdue: z
    .object({
      number: z.string().nullable(),
      amountMinor: z.number().int().nullable(),
      currency: z.string(),
      since: instant,
    })
    .nullable(),
  /** The same in one or two sentences for people. */
  explanation: z.string(),
})
export type EntitlementsView = z.infer<typeof EntitlementsView>

/** `explanation` is what `explainEntitlements` says, in the caller's language. */
export function toEntitlementsView(provided: Entitlements, explanation: string): EntitlementsView {
  const { since, until, limitedFrom, overdue, ...same } = provided
  return {
    ...same,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    limitedFrom: limitedFrom?.toISOString() ?? null,
    overdue: overdue && {
      number: overdue.number,
      amountMinor: overdue.amount === null ? null : toMinorNumber(overdue.amount),
      currency: overdue.currency,
      since: overdue.since.toISOString(),
    },
    explanation,
  }
}

/** Why a workplace has what it has, in one or two sentences. */
export function explainEntitlements(provided: Entitlements): ErrorText {
  const { plan: held, seats, state, reason, overdue } = provided
  const planName = `${held.charAt(0).toUpperCase()}${held.slice(1)}`
  const [since, until] = [provided.since ?? 'none', provided.until ?? 'none']
  const members = errorText('entitledMembers', { seats })
  switch (reason) {
    case 'payment_missing': {
      const because = overdue === null ? errorText('paymentMissing') : openInvoice(overdue)
      return state === 'limited'
        ? errorText('entitledLimited', { since, because })
        : errorText('entitledUntilLimited', { because, from: provided.limitedFrom ?? 'none' })
    }
    case 'ended':
      return state === 'grace'
        ? errorText('entitledEndedGrace', { since, plan: planName, until, seats })
        : errorText('entitledEnded', { since, members })
    case 'paused':
      return state === 'grace'
        ? errorText('entitledPausedGrace', { since, plan: planName, until, seats })
        : errorText('entitledPaused', { since, members })
    case 'trial':
      return errorText('entitledTrial', { plan: planName, members, until })
    case 'grant':
      return errorText('entitledGrant', { plan: planName, members, until })
    case 'subscription':
      return errorText('entitledSubscription', { plan: planName, members })
    case 'free':
      return errorText('entitledFree', { members })
  }
}

function openInvoice({ number, amount, currency, since }: OverdueInvoice): ErrorText {
  return errorText('invoiceOpen', {
    number: number ?? 'none',
    amount: amount === null ? 'none' : { amount, currency },
    day: since,
  })
}
