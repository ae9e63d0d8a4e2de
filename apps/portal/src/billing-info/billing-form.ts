import {
  type BillingInfoView,
  type CheckedBillingInfo,
  UpdateBillingInfo,
  type VatStatus,
} from '@atrium/core/billing/billing-info'
import type { StatusMeta } from '@atrium/ui/tones'
import { z } from 'zod'

/** The fields; text as it is typed. */
const fields = ['company', 'country', 'vatNumber', 'email'] as const
export type BillingFormValues = Record<(typeof fields)[number], string>

const { company, country, vatNumber, email } = UpdateBillingInfo.shape

/** What the form is checked against: the API's own rules; all of it may be left out. */
export const BillingForm = z.object({ company, country, vatNumber, email })

export function fromBillingInfo(info: BillingInfoView): BillingFormValues {
  return {
    company: info.company ?? '',
    country: info.country ?? '',
    vatNumber: info.vatNumber ?? '',
    email: info.email ?? '',
  }
}

/**
 * The changes alone, so that the audit log names what was changed; undefined when nothing was. A
 * field that was emptied is cleared.
 */
export function changesOf(
  slug: string,
  { billingInfo, editVersion }: Pick<CheckedBillingInfo, 'billingInfo' | 'editVersion'>,
  values: BillingFormValues,
): UpdateBillingInfo | undefined {
  const stored = fromBillingInfo(billingInfo)
  const changed = fields.filter((field) => values[field].trim() !== stored[field])
  if (changed.length === 0) return undefined
  const changes = Object.fromEntries(changed.map((field) => [field, values[field].trim() || null]))
  return { slug, ...changes, expectedVersion: editVersion }
}

/** The verdict on a VAT number as people read it. */
export const vatMeta: Readonly<Record<VatStatus, StatusMeta & { text: string }>> = {
  none: { label: 'None given', tone: 'neutral', text: 'Invoices are made without one.' },
  format_invalid: {
    label: 'Wrong form',
    tone: 'bad',
    text: 'This does not have the form of a VAT number of its country.',
  },
  checksum_invalid: {
    label: 'Looks mistyped',
    tone: 'warning',
    text: 'Its check digits do not fit. It is kept, because some numbers in use fail the rule.',
  },
  unverified: {
    label: 'Well-formed',
    tone: 'good',
    text: 'Form and check digits fit. The tax authority has not been asked whether it is in use.',
  },
  pending: {
    label: 'Being checked',
    tone: 'working',
    text: 'The tax authority is asked whether it is in use.',
  },
  valid: { label: 'Confirmed', tone: 'good', text: 'The tax authority says that it is in use.' },
  invalid: {
    label: 'Not confirmed',
    tone: 'bad',
    text: 'The tax authority does not know this number. Look for a typing error.',
  },
  unavailable: {
    label: 'Not checked yet',
    tone: 'waiting',
    text: 'The tax authority did not answer. It is asked again.',
  },
}
