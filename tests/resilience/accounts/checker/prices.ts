import type { Books } from './books.ts'

/** What a whole period costs, by the catalog. */
export function priceOf(
  books: Books,
  stripePriceId: string,
  seats: number,
): {
  plan: string
  cycle: string
  amount: bigint
} {
  for (const { plan, cycle, scheme, amounts } of books.prices) {
    const amount = amounts.find((one) => one.stripePriceId === stripePriceId)
    if (!amount) continue
    const [unit, n] = [BigInt(amount.unitAmount), BigInt(seats)]
    if (scheme === 'flat') return { plan, cycle, amount: unit }
    if (scheme === 'per_seat' || !amount.tiers) return { plan, cycle, amount: unit * n }
    if (scheme === 'volume') {
      const tier = amount.tiers.find(({ upTo }) => upTo === null || seats <= upTo)
      return {
        plan,
        cycle,
        amount: tier ? BigInt(tier.unitAmount) * n + BigInt(tier.flatAmount) : 0n,
      }
    }
    let [sum, below] = [0n, 0]
    for (const { upTo, unitAmount, flatAmount } of amount.tiers) {
      if (seats <= below) break
      const top = upTo === null || upTo > seats ? seats : upTo
      sum += BigInt(top - below) * BigInt(unitAmount) + BigInt(flatAmount)
      below = top
    }
    return { plan, cycle, amount: sum }
  }
  throw new Error(`no price is ${stripePriceId}`)
}
