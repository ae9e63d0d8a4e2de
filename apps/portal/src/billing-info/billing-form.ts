import {
  type BillingInfoView,
  type CheckedBillingInfo,
  UpdateBillingInfo,
  type VatStatus,
} from '@atrium/core/billing/billing-info'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'
import { z } from 'zod'

const t = translations('portal.billing-info')

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

const vatTones: Readonly<Record<VatStatus, Tone>> = {
  none: 'neutral',
  format_invalid: 'bad',
  checksum_invalid: 'warning',
  unverified: 'good',
  pending: 'working',
  valid: 'good',
  invalid: 'bad',
  unavailable: 'waiting',
}

/** The verdict on a VAT number as people read it. */
export function vatMeta(status: VatStatus): StatusMeta & { text: string } {
  return {
    label: t(`vat.${status}.label`),
    tone: vatTones[status],
    text: t(`vat.${status}.text`),
  }
}
