import type { PriceState, PriceTier, PriceView } from '@atrium/core/billing/prices'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { planAndCycle } from '@atrium/ui/subscription-status-meta'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('operator.prices')

const stateTones: Readonly<Record<PriceState, Tone>> = {
  draft: 'waiting',
  active: 'good',
  archived: 'neutral',
}

export function priceStateMeta(state: PriceState): StatusMeta {
  return { label: t(`states.${state}`), tone: stateTones[state] }
}

/** "Business, monthly". */
export function priceName({ plan, cycle }: Pick<PriceView, 'plan' | 'cycle'>): string {
  return planAndCycle(plan, cycle)
}

/** "Version 3 · Spring": the version with its note. */
export function versionLabel({ version, note }: Pick<PriceView, 'version' | 'note'>): string {
  return note ? t('versionNote', { version, note }) : t('version', { version })
}

/** What an amount means: "€8.00 per seat"; of tiers, how many there are. */
export function amountText(
  { scheme, cycle, taxBehavior }: Pick<PriceView, 'scheme' | 'cycle' | 'taxBehavior'>,
  { tiers, unitAmount, currency }: PriceView['amounts'][number],
): string {
  const amount = formatMoney(unitAmount, currency)
  const text = tiers
    ? t('amount.tiers', { count: tiers.length })
    : scheme === 'flat'
      ? t(`amount.flat.${cycle}`, { amount })
      : t('amount.perSeat', { amount })
  return taxBehavior === 'inclusive' ? t('amount.withTax', { text }) : text
}

/** "Seats 1 to 10: €10.00 each", one line per tier. */
export function tierLines(tiers: readonly PriceTier[], currency: string): string[] {
  let from = 1
  return tiers.map(({ upTo: to, unitAmount, flatAmount }) => {
    const range =
      to === null
        ? t('amount.tier.open', { from })
        : from === to
          ? t('amount.tier.one', { from })
          : t('amount.tier.some', { from, to })
    from = (to ?? 0) + 1
    const price = formatMoney(unitAmount, currency)
    return flatAmount > 0
      ? t('amount.tier.lineWithFlat', { range, price, flat: formatMoney(flatAmount, currency) })
      : t('amount.tier.line', { range, price })
  })
}

/** The currencies of a price that could not be created or archived at the payment processor. */
export function failedCurrencies(price: PriceView): string[] {
  return price.amounts.flatMap(({ currency, error }) =>
    error === null ? [] : [currency.toUpperCase()],
  )
}
