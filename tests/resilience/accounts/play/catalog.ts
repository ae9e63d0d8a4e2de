import type { Simulation } from './simulation.ts'

/** Six countries, five currencies; amounts of dinars end in 0, as the processor asks. */
export const countries = [
  { country: 'DE', currency: 'eur' },
  { country: 'FR', currency: 'eur' },
  { country: 'AU', currency: 'usd' },
  { country: 'GB', currency: 'gbp' },
  { country: 'JP', currency: 'jpy' },
  { country: 'KW', currency: 'kwd' },
] as const
export const currencies = ['eur', 'usd', 'gbp', 'jpy', 'kwd'] as const
export const plans = ['starter', 'business', 'enterprise'] as const
export const cycles = ['month', 'year'] as const

type Plan = (typeof plans)[number]
type Cycle = (typeof cycles)[number]

const baseAmounts: Readonly<Record<Plan, number>> = {
  starter: 433,
  business: 877,
  enterprise: 1_451,
}
const schemes: Readonly<Record<Plan, Readonly<Record<Cycle, string>>>> = {
  starter: { month: 'per_seat', year: 'per_seat' },
  business: { month: 'graduated', year: 'volume' },
  enterprise: { month: 'flat', year: 'per_seat' },
}

const unit = (currency: string, base: number) =>
  currency === 'kwd' ? base * 10 : currency === 'jpy' ? base : base + currency.charCodeAt(0)

/** An operator puts a price on sale in all currencies; `raise` in minor units. */
export async function putOnSale(
  simulation: Simulation,
  plan: Plan,
  cycle: Cycle,
  raise: number,
): Promise<void> {
  const base = baseAmounts[plan] * (cycle === 'year' ? 10 : 1) + raise
  const scheme = schemes[plan][cycle]
  const tiered = scheme === 'graduated' || scheme === 'volume'
  const amounts = currencies.map((currency) => {
    const amount = unit(currency, base)
    const tiers = [
      { upTo: 5, unitAmount: amount, flatAmount: 0 },
      { upTo: 12, unitAmount: unit(currency, Math.floor(base * 0.9)), flatAmount: 50 },
      { upTo: null, unitAmount: unit(currency, Math.floor(base * 0.7)), flatAmount: 130 },
    ]
    return tiered ? { currency, unitAmount: 0, tiers } : { currency, unitAmount: amount }
  })
  const trialDays = cycle === 'month' && plan !== 'enterprise' ? 14 : 0
  const [operator] = simulation.service.operators
  await simulation.call('put a price on sale', operator, 'POST', '/prices', {
    plan,
    cycle,
    scheme,
    amounts,
    trialDays,
    state: 'active',
  })
}
