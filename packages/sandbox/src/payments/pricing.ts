import type { Price } from './records.ts'

/** What a whole period costs for so many seats, in minor units without tax. */
export function priceOf(price: Price, quantity: number): number {
  if (price.unitAmount !== null) return price.unitAmount * quantity
  if (price.tiersMode === 'volume') {
    const tier = price.tiers.find(({ upTo }) => upTo === null || quantity <= upTo)
    return tier ? tier.unitAmount * quantity + tier.flatAmount : 0
  }
  let before = 0
  let total = 0
  for (const { upTo, unitAmount, flatAmount } of price.tiers) {
    if (quantity <= before) break
    total += (Math.min(quantity, upTo ?? quantity) - before) * unitAmount + flatAmount
    before = upTo ?? quantity
  }
  return total
}
