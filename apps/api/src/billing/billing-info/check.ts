import type {
  BillingInfo,
  BillingInfoView,
  CheckedBillingInfo,
  VatCheckView,
  VatStatus,
} from '@atrium/core/billing/billing-info'
import { checkVatNumber } from '@atrium/core/billing/vat-numbers'
import { AppError } from '@atrium/core/platform/errors'
import type { Warning } from '@atrium/core/platform/warnings'
import { withEditVersion } from '../../rpc/edit-version.ts'

/** What the authority said of a number, as far as it was asked. */
export interface CheckedTaxId {
  taxIdValue: string | null
  taxIdStatus: string | null
}

const requested: Readonly<Record<string, VatStatus>> = {
  pending: 'pending',
  verified: 'valid',
  unverified: 'invalid',
  unavailable: 'unavailable',
}

/**
 * What is known of billing data that are stored; of a number that the authority was asked about,
 * what it said. An answer of the register comes before one through the payment processor.
 */
export function withVatStatus(
  billingInfo: BillingInfoView,
  taxId?: CheckedTaxId,
  vatCheck: VatCheckView | null = null,
): CheckedBillingInfo {
  const {
    value,
    status,
    fault: _,
    warnings,
  } = checkVatNumber(billingInfo.vatNumber, billingInfo.country)
  const response =
    taxId && value !== null && taxId.taxIdValue === value
      ? requested[taxId.taxIdStatus ?? '']
      : undefined
  const known = (vatCheck && statusOfCheck(vatCheck, response)) ?? response ?? status
  return checkedView(billingInfo, known, warnings, vatCheck)
}

/** The register's answer; while there is none, the processor's, or that one is awaited. */
function statusOfCheck(
  { result, failure }: VatCheckView,
  response: VatStatus | undefined,
): VatStatus {
  if (result) return result.valid ? 'valid' : 'invalid'
  if (response === 'valid' || response === 'invalid') return response
  return failure ? 'unavailable' : 'pending'
}

/**
 * Billing data as they are to be stored, the VAT number normalised. Throws AppError `invalid_input`
 * when the number does not have its country's form; `path` is where the data stand in the input,
 * `billingInfo.` or empty.
 */
export function checkedBillingInfo(provided: BillingInfo, path = ''): CheckedBillingInfo {
  const { value, status, fault, warnings } = checkVatNumber(
    provided.vatNumber ?? null,
    provided.country ?? null,
  )
  if (fault !== null)
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: `${path}vatNumber`, message: fault }],
    })
  const billingInfo = {
    company: provided.company ?? null,
    vatNumber: value,
    country: provided.country ?? null,
    email: provided.email ?? null,
  }
  return checkedView(billingInfo, status, warnings, null)
}

function checkedView(
  billingInfo: BillingInfoView,
  vatStatus: VatStatus,
  warnings: Warning[],
  vatCheck: VatCheckView | null,
): CheckedBillingInfo {
  const { company, vatNumber, country, email } = billingInfo
  return withEditVersion({ billingInfo, vatStatus, vatCheck, warnings }, [
    company,
    vatNumber,
    country,
    email,
  ])
}
