import { countryOfVatNumber, isEuCountry, vatCountry } from '@atrium/core/billing/taxes'
import { invalid } from './faults.ts'
import { type Form, flag, group, list, text } from './form.ts'
import { taxOn, taxWithin } from './proration.ts'
import type { Buyer, Customer, Line, LineTax, Price, TaxRate, TaxSettings } from './records.ts'
import type { PaymentsStore } from './store.ts'
import type { PaymentsWorld } from './world.ts'

/** The country of the sandbox's account, registered there and for the EU's One Stop Shop. */
const home = 'DE'

/** Standard rates of the European Union in percent, as Stripe Tax knows them. */
const euRates: Readonly<Record<string, number>> = {
  AT: 20,
  BE: 21,
  BG: 20,
  CY: 19,
  CZ: 21,
  DE: 19,
  DK: 25,
  EE: 24,
  ES: 21,
  FI: 25.5,
  FR: 20,
  GR: 24,
  HR: 25,
  HU: 27,
  IE: 23,
  IT: 22,
  LT: 21,
  LU: 17,
  LV: 21,
  MT: 18,
  NL: 21,
  PL: 23,
  PT: 23,
  RO: 21,
  SE: 25,
  SI: 22,
  SK: 23,
}

export const noTax: TaxSettings = { automatic: false, rates: [] }

/**
 * The lines with their taxes. Each line is rounded by itself, which is Stripe's default
 * (docs.stripe.com/tax/tax-rates#rounding).
 */
export function withTaxes(
  world: PaymentsWorld,
  buyer: Buyer,
  settings: TaxSettings,
  lines: readonly Line[],
): Line[] {
  if (settings.automatic) {
    const known = hasLocation(buyer)
    return lines.map((line) => ({
      ...line,
      taxes: known ? [computedTax(world, buyer, line)] : [],
    }))
  }
  const rates = settings.rates.map((id) => world.store.taxRates.get(id, 'default_tax_rates'))
  const applied = rates.length > 0 ? rates : flatRates(world, buyer)
  return lines.map((line) => ({
    ...line,
    taxes: applied.map((rate) => manualTax(buyer, rate, line.amount)),
  }))
}

/** True where tax can be computed for the address (docs.stripe.com/tax/customer-locations). */
export function hasLocation({ address }: Pick<Buyer, 'address'>): boolean {
  if (!address?.country) return false
  if (address.country === 'US') {
    const zip = /^(\d{5})(-\d{4})?$/.exec(address.postalCode ?? '')?.[1]
    // A ZIP code of the right form that does not exist is rejected too.
    return zip !== undefined && zip !== '00000'
  }
  return address.country !== 'CA' || address.postalCode !== null || address.state !== null
}

/**
 * What a call with automatic tax needs: a usable address, and a price that says whether it contains
 * tax. Throws 400, `customer_tax_location_invalid` for the address.
 */
export function requireComputable(
  buyer: Pick<Buyer, 'address'>,
  { automatic }: TaxSettings,
  price: Price,
): void {
  if (!automatic) return
  if (price.taxBehavior !== 'exclusive' && price.taxBehavior !== 'inclusive')
    throw invalid(
      `You must specify a tax_behavior for the price \`${price.id}\` in order to calculate tax ` +
        'automatically.',
      { param: 'automatic_tax[enabled]' },
    )
  if (!hasLocation(buyer)) throw unknownLocation('automatic_tax[enabled]')
}

/**
 * A customer who is taxed automatically does not move to an address that tax cannot be computed for
 * (`tax[validate_location]=auto`, the default of updates). Throws 400.
 */
export function requireLocation({ store }: PaymentsWorld, customer: Customer): void {
  const taxed = store.subscriptions
    .all()
    .some(
      ({ customer: id, status, tax }) =>
        id === customer.id && tax.automatic && status !== 'canceled' && !status.endsWith('expired'),
    )
  if (taxed && !hasLocation(customer)) throw unknownLocation('address')
}

function unknownLocation(param: string) {
  return invalid(
    "The customer's location isn't recognized. Set a valid customer address in order to " +
      'automatically calculate tax.',
    { code: 'customer_tax_location_invalid', param },
  )
}

/** Stripe Tax: by the places of seller and buyer, and the buyer's tax numbers. */
function computedTax(world: PaymentsWorld, buyer: Buyer, line: Line): LineTax {
  const inclusive = isInclusive(world, line)
  const country = vatCountry(buyer.address?.country ?? '')
  const applied = (reason: string, percentage: number) =>
    taxOf(computedRate(world, country, percentage, inclusive), reason, line.amount)
  if (buyer.taxExempt === 'exempt') return applied('customer_exempt', 0)
  if (buyer.taxExempt === 'reverse') return applied('reverse_charge', 0)
  if (!isEuCountry(country)) return applied('not_collecting', 0)
  // A number counts by its form: whether the authority knows it is for the seller to find out.
  const business = buyer.taxIds.some(
    ({ type, value }) => type === 'eu_vat' && countryOfVatNumber(value) === country,
  )
  if (business && country !== home) return applied('reverse_charge', 0)
  return applied('standard_rated', euRates[country] ?? 0)
}

function isInclusive({ store }: PaymentsWorld, line: Line): boolean {
  return store.prices.find(line.price)?.taxBehavior === 'inclusive'
}

function manualTax(buyer: Buyer, rate: TaxRate, amount: number): LineTax {
  if (buyer.taxExempt === 'none') return taxOf(rate, 'not_available', amount)
  const reason = buyer.taxExempt === 'exempt' ? 'customer_exempt' : 'reverse_charge'
  return { ...taxOf(rate, reason, 0), taxableAmount: amount }
}

function taxOf({ id, percentage, inclusive }: TaxRate, reason: string, base: number): LineTax {
  const amount = inclusive ? taxWithin(base, percentage) : taxOn(base, percentage)
  const taxableAmount = inclusive ? base - amount : base
  return { amount, taxableAmount, inclusive, rate: id, reason }
}

function computedRate(
  world: PaymentsWorld,
  country: string,
  percentage: number,
  inclusive: boolean,
): TaxRate {
  const name = `${country}_${percentage}_${inclusive ? 'inclusive' : 'exclusive'}`
  return madeRate(world, `txr_${name.toLowerCase().replace('.', '_')}`, {
    country,
    percentage,
    inclusive,
  })
}

/** What the action `set_tax` adds where a subscription says nothing of tax. */
function flatRates(world: PaymentsWorld, buyer: Buyer): TaxRate[] {
  const percentage = world.store.taxPercent
  if (percentage === 0 || buyer.taxExempt !== 'none') return []
  const id = `txr_sandbox_${String(percentage).replace('.', '_')}`
  const metadata = { reason: 'standard_rated' }
  return [madeRate(world, id, { country: null, percentage, inclusive: false, metadata })]
}

function madeRate(
  { store, now }: PaymentsWorld,
  id: string,
  rate: Pick<TaxRate, 'country' | 'percentage' | 'inclusive'> & Partial<TaxRate>,
): TaxRate {
  return (
    store.taxRates.find(id) ??
    store.taxRates.add({
      id,
      displayName: 'VAT',
      jurisdiction: rate.country,
      taxType: 'vat',
      active: true,
      metadata: {},
      created: now(),
      ...rate,
    })
  )
}

/**
 * `automatic_tax` and `default_tax_rates` of a call; what it does not name stays. The two exclude
 * each other. Throws 400.
 */
export function taxSettingsOf(
  world: PaymentsWorld,
  form: Form,
  before: TaxSettings,
  rateForm: Form = form,
): TaxSettings {
  const enabled = flag(group(form, 'automatic_tax') ?? {}, 'enabled')
  const cleared = text(rateForm, 'default_tax_rates') === ''
  const named = list(rateForm, 'default_tax_rates').filter((id) => typeof id === 'string')
  for (const id of named) world.store.taxRates.get(id, 'default_tax_rates')
  const settings = {
    automatic: enabled ?? before.automatic,
    rates: named.length > 0 ? named : cleared ? [] : before.rates,
  }
  if (settings.automatic && settings.rates.length > 0)
    throw invalid(
      'You cannot set default_tax_rates when automatic tax is enabled. Pass an empty value to ' +
        'remove them.',
      { param: 'default_tax_rates' },
    )
  return settings
}

/** The customer as an invoice shows it. */
export function buyerOf(store: PaymentsStore, customer: Customer): Buyer {
  const { name, email, address, taxExempt } = customer
  const taxIds = store.taxIds
    .all()
    .filter((one) => one.customer === customer.id)
    .map(({ type, value }) => ({ type, value }))
  return { name, email, address, taxIds, taxExempt }
}
