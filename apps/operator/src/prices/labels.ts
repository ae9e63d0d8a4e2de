import type { PriceScheme, PriceState, PriceTier, PriceView } from '@atrium/core/billing/prices'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import { formatMoney } from '@atrium/ui/format'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import type { StatusMeta } from '@atrium/ui/tones'

export const priceStateMeta: Readonly<Record<PriceState, StatusMeta>> = {
  draft: { label: 'Draft', tone: 'waiting' },
  active: { label: 'On sale', tone: 'good' },
  archived: { label: 'Archived', tone: 'neutral' },
}

export const schemeNames: Readonly<Record<PriceScheme, string>> = {
  per_seat: 'Per seat',
  flat: 'Flat',
  graduated: 'Graduated tiers',
  volume: 'Volume tiers',
}

export const schemeHints: Readonly<Record<PriceScheme, string>> = {
  per_seat: 'Every seat costs the same.',
  flat: 'The same amount, whatever the number of seats.',
  graduated: 'Each seat costs what the tier says that it falls in.',
  volume: 'All seats cost what the tier of the whole number says.',
}

/** "Business, monthly". */
export function priceName({ plan, cycle }: Pick<PriceView, 'plan' | 'cycle'>): string {
  return `${planName(plan)}, ${cycleName(cycle).toLowerCase()}`
}

const perCycle: Readonly<Record<BillingCycle, string>> = { month: 'a month', year: 'a year' }

/** What an amount means: "€8.00 per seat and month". */
export function amountText(
  { scheme, cycle }: Pick<PriceView, 'scheme' | 'cycle'>,
  amount: PriceView['amounts'][number],
): string {
  if (amount.tiers) return `${amount.tiers.length} tiers`
  const shown = formatMoney(amount.unitAmount, amount.currency)
  return scheme === 'flat' ? `${shown} ${perCycle[cycle]}` : `${shown} per seat`
}

/** "Seats 1 to 10: €10.00 each", one line per tier. */
export function tierLines(tiers: readonly PriceTier[], currency: string): string[] {
  let from = 1
  return tiers.map(({ upTo, unitAmount, flatAmount }) => {
    const range =
      upTo === null
        ? `Seats ${from} and more`
        : from === upTo
          ? `Seat ${from}`
          : `Seats ${from} to ${upTo}`
    from = (upTo ?? 0) + 1
    const flat = flatAmount > 0 ? `, plus ${formatMoney(flatAmount, currency)}` : ''
    return `${range}: ${formatMoney(unitAmount, currency)} each${flat}`
  })
}

/** Whether the payment processor lacks a currency of a price that it should have. */
export function failedCurrencies(price: PriceView): string[] {
  return price.amounts.flatMap(({ currency, error }) =>
    error === null ? [] : [currency.toUpperCase()],
  )
}
