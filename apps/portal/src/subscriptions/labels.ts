import type {
  BillingCycle,
  ChangePreview,
  TenantSubscription,
} from '@atrium/core/billing/subscriptions'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'

const t = translations('portal.subscriptions')

/** "€80.00 a month". */
export function perPeriod(minor: number, currency: string, cycle: BillingCycle): string {
  return t(`perCycle.${cycle}`, { amount: formatMoney(minor, currency) })
}

/** What confirming a quoted change does, on its button. */
export function confirmLabel({
  effect,
  effectiveAt,
  totalMinor,
  currency,
  exact,
  needsApproval,
}: ChangePreview): string {
  if (needsApproval) return t('change.askOwner')
  if (effect === 'period_end') return t('change.onDay', { day: formatDay(effectiveAt) })
  return exact && totalMinor > 0
    ? t('change.pay', { amount: formatMoney(totalMinor, currency) })
    : t('change.now')
}

/** A sentence about money and time under the lines of a quoted change. */
export function effectSentence({
  effect,
  effectiveAt,
  next,
  currency,
  exact,
}: ChangePreview): string {
  const terms = {
    price: perPeriod(next.totalMinor, currency, next.cycle),
    tax: exact ? 'included' : 'without',
  }
  return effect === 'period_end'
    ? t('change.effectAtEnd', { ...terms, day: formatDay(effectiveAt) })
    : t('change.effectNow', terms)
}

/** When the running period or trial ends, and what happens then. */
export function periodSentence({
  status,
  cancelAtPeriodEnd,
  currentPeriodEnd,
  trialEnd,
}: TenantSubscription): string | undefined {
  if (status === 'trialing' && trialEnd)
    return t(cancelAtPeriodEnd ? 'period.trialEnds' : 'period.trial', { day: formatDay(trialEnd) })
  if (!currentPeriodEnd) return undefined
  const day = formatDay(currentPeriodEnd)
  return t(cancelAtPeriodEnd ? 'period.ends' : 'period.renews', { day })
}
