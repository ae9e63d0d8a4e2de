import type { BillingInfo, BillingInfoView, CheckedBillingInfo } from '@atrium/core/billing-info'
import { AppError } from '@atrium/core/errors'
import { checkVatNumber } from '@atrium/core/vat-numbers'

/** What is known of billing data that are stored. */
export function withVatStatus(billingInfo: BillingInfoView): CheckedBillingInfo {
  const { value: _, status, fault: __, warnings } = checkVatNumber(billingInfo.vatNumber, billingInfo.country)
  return { billingInfo, vatStatus: status, warnings }
}

/**
 * Billing data as they are to be stored, the VAT number normalised. Throws AppError `invalid_input` when the number does not have its
 * country's form; `path` is where the data stand in the input, `billingInfo.` or empty.
 */
export function checkedBillingInfo(given: BillingInfo, path = ''): CheckedBillingInfo {
  const { value, status, fault, warnings } = checkVatNumber(given.vatNumber ?? null, given.country ?? null)
  if (fault !== null) throw new AppError('invalid_input', undefined, { issues: [{ path: `${path}vatNumber`, message: fault }] })
  const billingInfo = { company: given.company ?? null, vatNumber: value, country: given.country ?? null, email: given.email ?? null }
  return { billingInfo, vatStatus: status, warnings }
}
