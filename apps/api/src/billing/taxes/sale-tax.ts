import { missingForTax, type TaxBehavior, taxTreatment } from '@atrium/core/billing/taxes'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { CallOptions } from '@atrium/integrations/call-options'
import type {
  Payments,
  PostalAddress,
  SubscriptionTax,
  TaxableCustomer,
} from '@atrium/integrations/payments/port'
import type { Config } from '../../platform/config.ts'

/** The buyer as far as tax depends on it. */
export interface TaxBuyer {
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** Null while there is no country. */
  address: PostalAddress | null
  /** A VAT number that the authority confirmed; null for any other. */
  validVatNumber: string | null
}

/** How the invoices of a subscription are taxed, and what the customer must say for it. */
export interface SaleTax {
  tax: SubscriptionTax
  taxExempt: TaxableCustomer['taxExempt']
}

/**
 * Decides how a sale is taxed, by the mode of the installation. With `fixed_rates` the rate is
 * created at the payment processor when it is not there yet. Throws AppError
 * `billing_address_incomplete`; rejects with `UpstreamError`.
 */
export async function taxOfSale(
  { billing }: Pick<Config, 'billing'>,
  payments: Payments,
  buyer: TaxBuyer,
  behavior: TaxBehavior,
  options: CallOptions,
): Promise<SaleTax> {
  const { tax } = billing
  if (tax.mode === 'none') return { tax: { mode: 'none' }, taxExempt: 'none' }
  const { country, address, validVatNumber } = buyer
  if (country === null) throw addressIncomplete('country')
  if (tax.mode === 'stripe_tax') {
    const missing = address && missingForTax(address)
    if (missing) throw addressIncomplete(missing)
    return { tax: { mode: 'automatic' }, taxExempt: 'none' }
  }
  const treatment = taxTreatment(tax.seller, { country, validVatNumber })
  const rateId = await payments.ensureTaxRate({ ...treatment, behavior }, options)
  return {
    tax: { mode: 'rates', rateIds: [rateId] },
    taxExempt: treatment.reason === 'reverse_charge' ? 'reverse' : 'none',
  }
}

/**
 * The same of a subscription whose next period may have a price with the other tax behavior. Throws
 * and rejects as `taxOfSale` does.
 */
export async function taxOfPeriods(
  config: Pick<Config, 'billing'>,
  payments: Payments,
  buyer: TaxBuyer,
  { behavior, nextBehavior }: { behavior: TaxBehavior; nextBehavior: TaxBehavior },
  options: CallOptions,
): Promise<{ tax: SubscriptionTax; nextTax: SubscriptionTax }> {
  const { tax } = await taxOfSale(config, payments, buyer, behavior, options)
  if (nextBehavior === behavior) return { tax, nextTax: tax }
  const next = await taxOfSale(config, payments, buyer, nextBehavior, options)
  return { tax, nextTax: next.tax }
}

/**
 * `field` of the billing address is missing. `address`: the payment processor does not find the
 * place; `cause` is its rejection.
 */
export function addressIncomplete(
  field: 'country' | 'postalCode' | 'address',
  cause?: unknown,
): AppError {
  return new AppError('billing_address_incomplete', undefined, {
    issues: [{ path: field, message: errorText(addressTexts[field]) }],
    ...(cause !== undefined && { cause }),
  })
}

/** What is wrong with the field of a billing address that tax needs. */
export const addressTexts = {
  country: 'billingCountryMissing',
  postalCode: 'billingPostalCodeMissing',
  address: 'billingAddressUnknown',
} as const
