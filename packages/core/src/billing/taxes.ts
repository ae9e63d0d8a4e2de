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
