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

/**
 * Whole minor units in a locale: 1050 in `eur` is "€10.50". Shows all digits of the currency
 * (`minorUnitDigits`).
 */
export function formatMinorUnits(
  minor: bigint | number,
  currency: string,
  locale: string | undefined,
): string {
  const digits = minorUnitDigits(currency.toLowerCase())
  const style = {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  const size = (minor < 0 ? -minor : minor).toString().padStart(digits + 1, '0')
  const major = digits === 0 ? size : `${size.slice(0, -digits)}.${size.slice(-digits)}`
  // As text, not as a fraction: `Intl` then shows the amount to its last digit, however large.
  return new Intl.NumberFormat(locale, style).format(
    `${minor < 0 ? '-' : ''}${major}` as `${number}`,
  )
}
