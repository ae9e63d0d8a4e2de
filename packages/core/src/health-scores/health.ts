import { type HealthMessages, healthTexts } from '@atrium/messages/health-texts'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
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

/** The name of a sentence in `server/health.json`. */
type HealthReason = {
  [Part in keyof HealthMessages]: `${Part}.${keyof HealthMessages[Part] & string}`
}[keyof HealthMessages]

interface Signal {
  signal: HealthSignal
  /** 1 good, 0.5 fair, 0 poor. */
  value: number
  /** In English. */
  hint: string
  /** Missing where an earlier version stored the signal; `hint` is all that is known then. */
  reason?: HealthReason
}

/** As it is stored: hints are in English, and `reason` names their sentence. */
export type StoredHealthFactor = HealthFactor & { reason?: string | undefined }

/** Signals collected hourly, and the maximum score while each is active. */
export interface GatheredHealth {
  signals: Signal[]
  /** Null where nothing caps the score. */
  cap: number | null
}

export interface StoredTenantHealth extends Pick<TenantHealth, 'score' | 'band'> {
  factors: StoredHealthFactor[]
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
): StoredTenantHealth {
  const known = [provisioningSignal(input, now), seatSignal(input), ...gathered.signals].filter(
    (signal) => signal !== undefined,
  )
  const factors = known
    .toSorted((a, b) => healthSignals.indexOf(a.signal) - healthSignals.indexOf(b.signal))
    .map(({ signal, value, hint, reason }) => ({
      signal,
      value,
      points: healthWeights[signal] * value,
      hint,
      reason,
    }))
  if (input.status === 'suspended' || input.status === 'deleted')
    return { score: null, band: 'inactive', factors }
  const young = now.getTime() - input.createdAt.getTime() < monthMs
  if (factors.length < 3) return { score: null, band: young ? 'new' : 'unknown', factors }
  const score = Math.min(shareOf(factors), gathered.cap ?? 100)
  return { score, band: young ? 'new' : bandOf(score), factors }
}

/** The factors with their hints in this language, where their sentence is known. */
export function writeHealthFactors(
  factors: readonly StoredHealthFactor[],
  language: PageLanguage,
): HealthFactor[] {
  const t = healthTexts(language)
  return factors.map(({ reason, ...factor }) => ({
    ...factor,
    hint: isHealthReason(reason) ? t(reason) : factor.hint,
  }))
}

/** False for a sentence that only another version of the program knows. */
function isHealthReason(reason: string | undefined): reason is HealthReason {
  return reason !== undefined && healthTexts(defaultLanguage).has(reason as HealthReason)
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

/** `value` for this reason, of the signal that the reason begins with. */
function because(reason: HealthReason, value: number): Signal {
  const [signal] = reason.split('.') as [HealthSignal]
  return { signal, value, hint: healthTexts(defaultLanguage)(reason), reason }
}

function paymentSignal(facts: PaymentFacts, now: Date): Signal | undefined {
  const days = facts.pastDueSince ? (now.getTime() - facts.pastDueSince.getTime()) / dayMs : 0
  switch (facts.status) {
    case 'unpaid':
      return because('payment.unpaid', 0)
    case 'past_due':
      return days >= 14 ? because('payment.longDue', 0) : because('payment.due', 0.5)
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
  if (cardGoodUntil && cardGoodUntil < (currentPeriodEnd ?? now)) {
    return because('payment.cardExpires', 0.5)
  }
  if (lastFailureAt && now.getTime() - lastFailureAt.getTime() < 60 * dayMs) {
    return because('payment.failedRecently', 0.5)
  }
  return because('payment.good', 1)
}

function activitySignal({ members, recent }: ActivityFacts): Signal | undefined {
  if (members === 0) return undefined
  const share = recent / members
  if (share >= 0.6) return because('activity.most', 1)
  if (share >= 0.3) return because('activity.some', 0.5)
  return because('activity.few', 0)
}

const mailSignals: Readonly<Record<MailTrust, Signal>> = {
  passed: because('mailTrust.passed', 1),
  warned: because('mailTrust.warned', 0.5),
  failed: because('mailTrust.failed', 0),
}

function securitySignal({
  members,
  enrolled,
  adminsWithout,
  unknown,
}: SecurityFacts): Signal | undefined {
  if (adminsWithout > 0) return because('security.adminWithout', 0)
  // What is not known could lie on either side of the line.
  if (members === 0 || unknown > 0) return undefined
  if (enrolled / members >= 0.8) return because('security.most', 1)
  if (enrolled / members >= 0.5) return because('security.some', 0.5)
  return because('security.few', 0)
}

function provisioningSignal(input: HealthInput, now: Date): Signal {
  const age = now.getTime() - input.provisioningChangedAt.getTime()
  const states = provisioningSteps.map((step) => input.provisioningStatus[step])
  if (states.includes('error')) {
    return age > dayMs ? because('provisioning.failedLong', 0) : because('provisioning.failed', 0.5)
  }
  if (states.includes('pending')) {
    return age > hourMs
      ? because('provisioning.waitingLong', 0.5)
      : because('provisioning.waiting', 1)
  }
  return because('provisioning.done', 1)
}

function seatSignal({ seats, memberCount }: HealthInput): Signal | undefined {
  if (seats === 0) return undefined
  const use = memberCount / seats
  if (use > 1) return because('seatUse.over', 0.5)
  if (use >= 0.7) return because('seatUse.most', 1)
  if (use >= 0.4) return because('seatUse.some', 0.5)
  return because('seatUse.few', 0)
}
