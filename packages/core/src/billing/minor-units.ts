const zeroDecimal = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '),
)
const threeDecimal = new Set('bhd jod kwd omr tnd'.split(' '))

/**
 * Digits behind the point in amounts of this currency (docs.stripe.com/currencies). A table of our
 * own: `Intl` gives other digits for `isk` and `ugx` than the payment processor counts in.
 */
export function minorUnitDigits(currency: string): 0 | 2 | 3 {
  return zeroDecimal.has(currency) ? 0 : threeDecimal.has(currency) ? 3 : 2
}
