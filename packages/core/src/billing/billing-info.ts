import { z } from 'zod'
import { editVersion, expectedVersion } from '../platform/edit-version.ts'
import { says } from '../platform/issue-text.ts'
import { emailAddress, instant, line } from '../platform/text.ts'
import { Warning } from '../platform/warnings.ts'
import { countryCode } from './countries.ts'

/** The editable subset of billing data. `country` is ISO 3166-1 alpha-2; null removes a value. */
export const BillingInfo = z.strictObject({
  company: line(200).nullish(),
  vatNumber: line(32).nullish(),
  country: countryCode.nullish(),
  email: emailAddress.nullish(),
})
export type BillingInfo = z.infer<typeof BillingInfo>

export const BillingInfoView = z.object({
  company: z.string().nullable(),
  vatNumber: z.string().nullable(),
  country: z.string().nullable(),
  email: z.string().nullable(),
})
export type BillingInfoView = z.infer<typeof BillingInfoView>

/**
 * The status of a VAT number. `unverified`: its format is valid, and the authority was not asked.
 * The last four are the authority's response, asked directly or through the payment processor;
 * `unavailable`: it has not responded yet and is asked again.
 */
export const vatStatuses = [
  'none',
  'format_invalid',
  'checksum_invalid',
  'unverified',
  'pending',
  'valid',
  'invalid',
  'unavailable',
] as const
export const vatStatus = z.enum(vatStatuses)
export type VatStatus = z.infer<typeof vatStatus>

/** What the EU's register (VIES) said of the number, and when it is asked again. */
export const VatCheckView = z.object({
  /** The last answer about this number; null while there is none. */
  result: z
    .object({
      valid: z.boolean(),
      /** As registered; null where the country does not tell. */
      name: z.string().nullable(),
      address: z.string().nullable(),
      /** The register's proof of the question. */
      consultationNumber: z.string().nullable(),
      answeredAt: instant,
    })
    .nullable(),
  nextCheckAt: instant.nullable(),
  /** Why the last question got no answer; null once one came. */
  failure: z.object({ at: instant, message: z.string() }).nullable(),
})
export type VatCheckView = z.infer<typeof VatCheckView>

export const CheckedBillingInfo = z.object({
  billingInfo: BillingInfoView,
  vatStatus,
  /** Null where the number is not asked about: no number, none of the EU, or no register. */
  vatCheck: VatCheckView.nullable(),
  warnings: z.array(Warning),
  editVersion,
})
export type CheckedBillingInfo = z.infer<typeof CheckedBillingInfo>

export const UpdateBillingInfo = z
  .strictObject({ slug: z.string().max(200), ...BillingInfo.shape, expectedVersion })
  .refine(
    ({ slug: _, expectedVersion: __, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateBillingInfo = z.infer<typeof UpdateBillingInfo>
