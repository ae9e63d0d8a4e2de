import { z } from 'zod'
import type { SubscriptionStatus } from '../billing/subscriptions.ts'
import type {
  HealthFactor,
  ProvisioningStatus,
  TenantHealth,
  TenantStatus,
} from '../tenants/tenants.ts'
import { provisioningSteps } from '../tenants/tenants.ts'

const hourMs = 3600 * 1000
const dayMs = 24 * hourMs
const monthMs = 30 * dayMs

export const healthSignals = [
  'payment',
  'seatUse',
  'activity',
  'provisioning',
  'mailTrust',
  'security',
] as const
export type HealthSignal = (typeof healthSignals)[number]

/** What each signal weighs; 100 together. */
export const healthWeights: Readonly<Record<HealthSignal, number>> = {
  payment: 30,
  seatUse: 20,
  activity: 20,
  provisioning: 15,
  mailTrust: 10,
  security: 5,
}

export const healthBands = ['healthy', 'watch', 'at_risk', 'new', 'inactive', 'unknown'] as const
export const healthBand = z.enum(healthBands)
export type HealthBand = z.infer<typeof healthBand>

/** A tenant's subscription and card, as far as they say whether it will go on paying. */
export interface PaymentFacts {
  status: SubscriptionStatus
  pastDueSince: Date | null
  cancelAtPeriodEnd: boolean
  currentPeriodEnd: Date | null
  /** The newest failed attempt to collect; null when none is known. */
  lastFailureAt: Date | null
  /** The end of the last month in which the card is good; null when no card is known. */
  cardGoodUntil: Date | null
}

export interface ActivityFacts {
  members: number
  /** Of them, signed in within thirty days. */
  recent: number
}

/** The worst that is known of the tenant's active domains. */
export type MailTrust = 'passed' | 'warned' | 'failed'

export interface SecurityFacts {
  members: number
  /** Of them, with a second factor. */
  enrolled: number
  /** Admins of whom it is known that they have none. */
  adminsWithout: number
  /** Members of whom nothing is known. */
  unknown: number
}

/**
 * What the score is computed from. A signal whose facts are missing is left out of the sum and of
 * its weight.
 */
export interface HealthInput {
  status: TenantStatus
  createdAt: Date
  provisioningStatus: ProvisioningStatus
  /** Since when the steps have had their current state. */
  provisioningChangedAt: Date
  seats: number
  memberCount: number
  payment?: PaymentFacts | null | undefined
  activity?: ActivityFacts | null | undefined
  mailTrust?: MailTrust | null | undefined
  security?: SecurityFacts | null | undefined
}

interface Signal {
  signal: HealthSignal
  /** 1 good, 0.5 fair, 0 poor. */
  value: number
  hint: string
}

/** Signals collected hourly, and the maximum score while each is active. */
export interface GatheredHealth {
  signals: Signal[]
  /** Null where nothing caps the score. */
  cap: number | null
}

/** Of a tenant that no run has seen yet. */
export const nothingGathered: GatheredHealth = { signals: [], cap: null }

/**
 * The signals that are too dear to be read with every tenant: payment, activity, mail trust and
 * security.
 */
export function gatherHealth(
  input: Pick<HealthInput, 'payment' | 'activity' | 'mailTrust' | 'security'>,
  now: Date,
): GatheredHealth {
  const { payment, activity, mailTrust, security } = input
  const signals = [
    payment && paymentSignal(payment, now),
    activity && activitySignal(activity),
    mailTrust && mailSignals[mailTrust],
    security && securitySignal(security),
  ]
  return { signals: signals.filter((signal) => !!signal), cap: payment ? capOf(payment) : null }
}

/**
 * Health of a tenant from signals gathered before and those that its own record gives: weighted
 * share of the signals that are known, 0 to 100; fewer than three known gives no score
 * (docs/reference/contract.md, health). An unpaid subscription caps it at 25, one that ends with
 * its period at 49.
 */
export function tenantHealth(
  input: HealthInput,
  gathered: GatheredHealth,
  now: Date,
): TenantHealth {
  const known = [provisioningSignal(input, now), seatSignal(input), ...gathered.signals].filter(
    (signal) => signal !== undefined,
  )
  const factors = known
    .toSorted((a, b) => healthSignals.indexOf(a.signal) - healthSignals.indexOf(b.signal))
    .map(({ signal, value, hint }) => ({
      signal,
      value,
      points: healthWeights[signal] * value,
      hint,
    }))
  if (input.status === 'suspended' || input.status === 'deleted')
    return { score: null, band: 'inactive', factors }
  const young = now.getTime() - input.createdAt.getTime() < monthMs
  if (factors.length < 3) return { score: null, band: young ? 'new' : 'unknown', factors }
  const score = Math.min(shareOf(factors), gathered.cap ?? 100)
  return { score, band: young ? 'new' : bandOf(score), factors }
}

function shareOf(factors: readonly HealthFactor[]): number {
  const weight = factors.reduce(
    (sum, { signal }) => sum + (healthWeights[signal as HealthSignal] ?? 0),
    0,
  )
  return Math.round((100 * factors.reduce((sum, factor) => sum + factor.points, 0)) / weight)
}

export function bandOf(score: number): HealthBand {
  return score >= 75 ? 'healthy' : score >= 50 ? 'watch' : 'at_risk'
}

function capOf({ status, cancelAtPeriodEnd }: PaymentFacts): number | null {
  if (status === 'unpaid') return 25
  return cancelAtPeriodEnd ? 49 : null
}

function paymentSignal(facts: PaymentFacts, now: Date): Signal | undefined {
  const signal = 'payment'
  const days = facts.pastDueSince ? (now.getTime() - facts.pastDueSince.getTime()) / dayMs : 0
  switch (facts.status) {
    case 'unpaid':
      return { signal, value: 0, hint: 'The subscription is unpaid. Pay the open invoice.' }
    case 'past_due':
      return days >= 14
        ? {
            signal,
            value: 0,
            hint: 'A payment has been due for two weeks or more. Pay the open invoice.',
          }
        : { signal, value: 0.5, hint: 'A payment is due. Check the card.' }
    case 'active':
      return activePaymentSignal(facts, now)
    // A trial, a pause or an end say nothing about payment behaviour.
    default:
      return undefined
  }
}

function activePaymentSignal(
  { cardGoodUntil, currentPeriodEnd, lastFailureAt }: PaymentFacts,
  now: Date,
): Signal {
  const signal = 'payment'
  if (cardGoodUntil && cardGoodUntil < (currentPeriodEnd ?? now)) {
    return {
      signal,
      value: 0.5,
      hint: 'The card expires before the next invoice. Enter a new one.',
    }
  }
  if (lastFailureAt && now.getTime() - lastFailureAt.getTime() < 60 * dayMs) {
    return { signal, value: 0.5, hint: 'A payment failed within the last sixty days.' }
  }
  return { signal, value: 1, hint: 'Payments arrive.' }
}

function activitySignal({ members, recent }: ActivityFacts): Signal | undefined {
  if (members === 0) return undefined
  const share = recent / members
  const signal = 'activity'
  if (share >= 0.6) return { signal, value: 1, hint: 'Most members signed in within thirty days.' }
  if (share >= 0.3)
    return {
      signal,
      value: 0.5,
      hint: 'Fewer than 60 % of the members signed in within thirty days.',
    }
  return { signal, value: 0, hint: 'Fewer than 30 % of the members signed in within thirty days.' }
}

const mailSignals: Readonly<Record<MailTrust, Signal>> = {
  passed: { signal: 'mailTrust', value: 1, hint: 'Every mail record of every domain is right.' },
  warned: { signal: 'mailTrust', value: 0.5, hint: 'An SPF or DMARC record is missing or wrong.' },
  failed: {
    signal: 'mailTrust',
    value: 0,
    hint: 'An MX or DKIM record is missing or wrong. Mail may be lost.',
  },
}

function securitySignal({
  members,
  enrolled,
  adminsWithout,
  unknown,
}: SecurityFacts): Signal | undefined {
  const signal = 'security'
  if (adminsWithout > 0) return { signal, value: 0, hint: 'An admin has no second factor.' }
  // What is not known could lie on either side of the line.
  if (members === 0 || unknown > 0) return undefined
  if (enrolled / members >= 0.8)
    return { signal, value: 1, hint: 'Nearly everybody has a second factor.' }
  if (enrolled / members >= 0.5)
    return { signal, value: 0.5, hint: 'Fewer than 80 % of the members have a second factor.' }
  return { signal, value: 0, hint: 'Fewer than half of the members have a second factor.' }
}

function provisioningSignal(input: HealthInput, now: Date): Signal {
  const age = now.getTime() - input.provisioningChangedAt.getTime()
  const states = provisioningSteps.map((step) => input.provisioningStatus[step])
  const signal = 'provisioning'
  if (states.includes('error')) {
    return age > dayMs
      ? {
          signal,
          value: 0,
          hint: 'A provisioning step has failed for more than a day. Reconcile the tenant.',
        }
      : {
          signal,
          value: 0.5,
          hint: 'A provisioning step failed. It is retried; reconcile to try at once.',
        }
  }
  if (states.includes('pending')) {
    return age > hourMs
      ? {
          signal,
          value: 0.5,
          hint: 'Provisioning has been waiting for more than an hour. Reconcile the tenant.',
        }
      : { signal, value: 1, hint: 'Provisioning is under way.' }
  }
  return { signal, value: 1, hint: 'Every provisioning step is done.' }
}

function seatSignal({ seats, memberCount }: HealthInput): Signal | undefined {
  if (seats === 0) return undefined
  const use = memberCount / seats
  const signal = 'seatUse'
  if (use > 1) return { signal, value: 0.5, hint: 'There are more members than seats.' }
  if (use >= 0.7) return { signal, value: 1, hint: 'Most seats are in use.' }
  if (use >= 0.4) return { signal, value: 0.5, hint: 'Fewer than 70 % of the seats are in use.' }
  return { signal, value: 0, hint: 'Fewer than 40 % of the seats are in use.' }
}
