import { z } from 'zod'
import { divideRounded } from './money.ts'

/**
 * Why a tax is what it is, in the payment processor's words (docs.stripe.com/tax/reports#taxability
 * reasons). `unknown` is a word that we do not know yet.
 */
export const taxabilityReasons = [
  'customer_exempt',
  'not_available',
  'not_collecting',
  'not_subject_to_tax',
  'not_supported',
  'portion_product_exempt',
  'portion_reduced_rated',
  'portion_standard_rated',
  'product_exempt',
  'product_exempt_holiday',
  'proportionally_rated',
  'reduced_rated',
  'reverse_charge',
  'standard_rated',
  'taxable_basis_reduced',
  'zero_rated',
  'unknown',
] as const
export type TaxabilityReason = (typeof taxabilityReasons)[number]

/** `exclusive`: added to the price. `inclusive`: part of the price. */
export const taxBehaviors = ['exclusive', 'inclusive'] as const
export type TaxBehavior = (typeof taxBehaviors)[number]
export const taxBehavior = z.enum(taxBehaviors)

/** What is left of an amount without the `percent` of tax that it contains, rounded half up. */
export function withoutTax(amount: bigint, percent: number): bigint {
  const rate = BigInt(Math.round(percent * 10_000))
  return divideRounded(amount * 1_000_000n, 1_000_000n + rate)
}

/** An amount of a subscription without the tax that it contains. */
export function netOf(
  amount: bigint,
  terms: { taxBehavior: TaxBehavior; containedTaxPercent: number },
): bigint {
  return terms.taxBehavior === 'inclusive' ? withoutTax(amount, terms.containedTaxPercent) : amount
}

/** One tax of an invoice or of a preview, over all lines that have it. Amounts in minor units. */
export const TaxAmount = z.object({
  /** As applied: 19 is 19 %. Null where the payment processor does not tell the rate. */
  percent: z.number().nullable(),
  /** Whose tax it is, ISO 3166-1 alpha-2. */
  country: z.string().nullable(),
  /** 0 for `reverse_charge`: the buyer owes the tax. */
  amountMinor: z.number().int(),
  taxableMinor: z.number().int().nullable(),
  behavior: taxBehavior,
  reason: z.enum(taxabilityReasons),
})
export type TaxAmount = z.infer<typeof TaxAmount>

/** How tax gets onto invoices: not at all, by Stripe Tax, or by the operator's own rates. */
export const taxModes = ['none', 'stripe_tax', 'fixed_rates'] as const
export type TaxMode = (typeof taxModes)[number]

/** Members of the European Union, ISO 3166-1 alpha-2. Northern Ireland counts for goods only. */
export const euCountries = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
] as const

const eu: ReadonlySet<string> = new Set(euCountries)

export function isEuCountry(country: string): boolean {
  return eu.has(country)
}

/** Countries whose VAT is that of another one (VAT directive, article 7; Isle of Man Act 1979). */
const territories: Readonly<Record<string, string>> = { MC: 'FR', IM: 'GB' }

/** The country whose VAT law applies at an address in `country`. */
export function vatCountry(country: string): string {
  return territories[country] ?? country
}

/** The ISO code of the country that issued a VAT number; its prefix differs for Greece alone. */
export function countryOfVatNumber(vatNumber: string): string {
  const prefix = vatNumber.slice(0, 2)
  return prefix === 'EL' ? 'GR' : prefix
}

/**
 * Whether the EU's register knows numbers of this kind. Northern Ireland's are in it, although its
 * services are not taxed as those of the Union.
 */
export function isRegisteredInVies(vatNumber: string): boolean {
  return viesPrefixes.includes(vatNumber.slice(0, 2))
}

/** Prefixes of the numbers that the EU's register knows. */
export const viesPrefixes: readonly string[] = [
  ...euCountries.map((country) => (country === 'GR' ? 'EL' : country)),
  'XI',
]

/**
 * The field of a billing address that Stripe Tax lacks: the country; a five-digit ZIP code in the
 * United States; postal code or province in Canada
 * (docs.stripe.com/tax/customer-locations). Null when it can place the address.
 */
export function missingForTax(address: {
  country: string | null
  postalCode: string | null
  state: string | null
}): 'country' | 'postalCode' | null {
  const { country, postalCode, state } = address
  if (country === null) return 'country'
  if (country === 'US') return /^\d{5}(-\d{4})?$/.test(postalCode ?? '') ? null : 'postalCode'
  return country === 'CA' && postalCode === null && state === null ? 'postalCode' : null
}

export interface TaxSeller {
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Registered for the One Stop Shop: charges consumers the rate of their own country. */
  oss: boolean
  /** Standard rates in percent by country. Contains the seller's, and with OSS every EU country. */
  rates: Readonly<Record<string, number>>
}

export interface TaxBuyer {
  /** ISO 3166-1 alpha-2. */
  country: string
  /** A VAT number that the authority confirmed; null for none, unchecked and invalid ones. */
  validVatNumber: string | null
}

export interface TaxTreatment {
  reason: 'standard_rated' | 'reverse_charge' | 'not_subject_to_tax'
  /** Whose tax it is, or would be. */
  country: string
  /** 0 unless `standard_rated`. */
  percent: number
}

/**
 * How a subscription is taxed, for services supplied electronically (VAT directive, articles 44, 58
 * and 196): own rate at home; reverse charge for a business of another EU country with a valid
 * number of that country; for other EU buyers the rate of their country with OSS, else our own;
 * nothing outside the EU. A seller outside the EU charges at home only. RangeError when a rate is
 * missing.
 */
export function taxTreatment(seller: TaxSeller, buyer: TaxBuyer): TaxTreatment {
  const home = vatCountry(seller.country)
  const country = vatCountry(buyer.country)
  if (country === home) return standard(seller, home)
  if (!isEuCountry(home) || !isEuCountry(country))
    return { reason: 'not_subject_to_tax', country, percent: 0 }
  const { validVatNumber } = buyer
  if (validVatNumber !== null && countryOfVatNumber(validVatNumber) === country)
    return { reason: 'reverse_charge', country, percent: 0 }
  return standard(seller, seller.oss ? country : home)
}

function standard({ rates }: TaxSeller, country: string): TaxTreatment {
  const percent = Object.hasOwn(rates, country) ? rates[country] : undefined
  if (percent === undefined) throw new RangeError(`there is no tax rate for ${country}`)
  return { reason: 'standard_rated', country, percent }
}
