import { translations } from '@atrium/ui/messages'
import '@atrium/ui/issue-messages'
import {
  type BillingCycle,
  type CreateSubscription,
  mayMoveByHand,
  type SubscriptionSource,
  type SubscriptionStatus,
  type SubscriptionView,
  subscriptionStatuses,
  type UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { fromLocalInput, fromMoneyInput, toLocalInput, toMoneyInput } from '@atrium/ui/format'
import type { z } from 'zod'

const t = translations('operator.subscriptions')

/**
 * Where the amount comes from: the catalog (or what was agreed before), or what is agreed now per
 * seat or for the whole period.
 */
export const pricings = ['catalog', 'per_seat', 'period'] as const
export type Pricing = (typeof pricings)[number]

/** A subscription as it is typed; `amount` in the currency's main unit. */
export interface SubscriptionForm {
  tenantSlug: string
  source: SubscriptionSource
  plan: Plan
  cycle: BillingCycle
  currency: string
  seats: number | string
  pricing: Pricing
  amount: string
  trialDays: number | string
  startAt: string
  status: SubscriptionStatus
  trialEnd: string
}

export function emptySubscription(tenantSlug: string): SubscriptionForm {
  return {
    tenantSlug,
    source: 'manual',
    plan: 'business',
    cycle: 'month',
    currency: 'eur',
    seats: 1,
    pricing: 'catalog',
    amount: '',
    trialDays: 0,
    startAt: '',
    status: 'active',
    trialEnd: '',
  }
}

export function toSubscriptionForm(row: SubscriptionView): SubscriptionForm {
  const pricing =
    row.priceId !== null || row.source === 'stripe'
      ? 'catalog'
      : row.periodAmount === null
        ? 'per_seat'
        : 'period'
  return {
    ...emptySubscription(row.tenantSlug),
    source: row.source,
    plan: row.plan,
    cycle: row.cycle,
    currency: row.currency,
    seats: row.seats,
    pricing,
    status: row.status,
    amount:
      pricing === 'catalog'
        ? ''
        : toMoneyInput(row.periodAmount ?? row.perSeatAmount, row.currency),
    trialEnd: toLocalInput(row.trialEnd ?? undefined),
  }
}

const numberIn = (typed: number | string) => (typeof typed === 'number' ? typed : Number.NaN)

function amountsOf({ pricing, amount, currency }: SubscriptionForm) {
  const minor = fromMoneyInput(amount, currency) ?? Number.NaN
  return pricing === 'per_seat'
    ? { perSeatAmount: minor }
    : pricing === 'period'
      ? { periodAmount: minor }
      : {}
}

export function toCreateSubscription(form: SubscriptionForm): z.input<typeof CreateSubscription> {
  const { tenantSlug, source, plan, cycle, currency, startAt } = form
  const trialDays = numberIn(form.trialDays)
  return {
    tenantSlug: tenantSlug.trim(),
    source,
    plan,
    cycle,
    currency,
    seats: numberIn(form.seats),
    ...(trialDays === 0 ? {} : { trialDays }),
    ...(source === 'manual' ? amountsOf(form) : {}),
    ...(source === 'manual' && startAt !== ''
      ? { startAt: fromLocalInput(startAt) ?? startAt }
      : {}),
  }
}

/** The request: only the changed fields, with the version that they are based on. */
export function toUpdateSubscription(
  row: SubscriptionView,
  form: SubscriptionForm,
): z.input<typeof UpdateSubscription> {
  const before = toSubscriptionForm(row)
  const priced = form.pricing !== before.pricing || form.amount !== before.amount
  return {
    id: row.id,
    version: row.version,
    ...(form.plan === row.plan ? {} : { plan: form.plan }),
    ...(form.cycle === row.cycle ? {} : { cycle: form.cycle }),
    ...(form.seats === row.seats ? {} : { seats: numberIn(form.seats) }),
    ...(row.source === 'manual' && priced ? amountsOf(form) : {}),
    ...(form.status === row.status ? {} : { status: form.status }),
    ...(form.trialEnd === before.trialEnd
      ? {}
      : { trialEnd: fromLocalInput(form.trialEnd) ?? form.trialEnd }),
  }
}

export function changesSubscription(row: SubscriptionView, form: SubscriptionForm): boolean {
  return Object.keys(toUpdateSubscription(row, form)).length > 2
}

/** The states that an operator can set for a manual one, including its current state. */
export function reachableStatuses(row: SubscriptionView): SubscriptionStatus[] {
  return subscriptionStatuses.filter((status) => mayMoveByHand(row.status, status))
}

/** The input that shows an issue of the API, by the issue's path. */
export function inputOf(path: string): string {
  return path === 'perSeatAmount' || path === 'periodAmount' ? 'amount' : path
}

/**
 * Validates what the form would send against the API's schema. An amount that cannot be read is
 * explained by an example.
 */
export function validateSubscription(
  schema: z.ZodType,
  toInput: (form: SubscriptionForm) => unknown,
): (form: SubscriptionForm) => Record<string, string> {
  return (form) => {
    const errors: Record<string, string> = {}
    const { error } = schema.safeParse(toInput(form), { reportInput: true })
    for (const { path, message, input } of error?.issues ?? []) {
      const field = inputOf(path.join('.'))
      const unreadable = field === 'amount' && Number.isNaN(input)
      errors[field] ??= unreadable ? t('form.amountUnreadable') : message
    }
    return errors
  }
}
