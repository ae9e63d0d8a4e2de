import type {
  BillingCycle,
  ChangePreview,
  PendingChange,
  TenantSubscription,
} from '@atrium/core/billing/subscriptions'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { cycleName, planName, seatsLabel } from '@atrium/ui/subscription-status-meta'

const perCycle: Readonly<Record<BillingCycle, string>> = { month: 'a month', year: 'a year' }

/** "€80.00 a month". */
export function perPeriod(minor: number, currency: string, cycle: BillingCycle): string {
  return `${formatMoney(minor, currency)} ${perCycle[cycle]}`
}

/** What waits for the end of the period: "Starter, 6 seats". */
export function pendingLabel({ plan, cycle, seats }: PendingChange): string {
  return [
    plan && planName(plan),
    cycle && cycleName(cycle).toLowerCase(),
    seats !== undefined && seatsLabel(seats),
  ]
    .filter(Boolean)
    .join(', ')
}

/** What confirming a quoted change does, on its button. */
export function confirmLabel({
  effect,
  effectiveAt,
  totalMinor,
  currency,
  exact,
}: ChangePreview): string {
  if (effect === 'period_end') return `Change on ${formatDay(effectiveAt)}`
  if (!exact || totalMinor === 0) return 'Change now'
  return totalMinor > 0 ? `Pay ${formatMoney(totalMinor, currency)} and change` : 'Change now'
}

/** A sentence about money and time under the lines of a quoted change. */
export function effectSentence({
  effect,
  effectiveAt,
  after,
  nextAmountMinor,
  currency,
  exact,
}: ChangePreview): string {
  const next = `${perPeriod(nextAmountMinor, currency, after.cycle)}${exact ? '' : ', without tax'}`
  return effect === 'period_end'
    ? `Nothing changes until ${formatDay(effectiveAt)}, and nothing is refunded. From then on ${next}.`
    : `Takes effect immediately. From the next period on ${next}.`
}

/** When the running period or trial ends, and what happens then. */
export function periodSentence({
  status,
  cancelAtPeriodEnd,
  currentPeriodEnd,
  trialEnd,
}: TenantSubscription): string | undefined {
  if (status === 'trialing' && trialEnd)
    return `${cancelAtPeriodEnd ? 'Trial, ends for good' : 'Trial'} until ${formatDay(trialEnd)}`
  if (!currentPeriodEnd) return undefined
  return cancelAtPeriodEnd
    ? `Ends on ${formatDay(currentPeriodEnd)}`
    : `Renews on ${formatDay(currentPeriodEnd)}`
}
