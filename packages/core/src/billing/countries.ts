import codes from 'i18n-iso-countries/codes.json' with { type: 'json' }
import { z } from 'zod'
import { issueText, says } from '../platform/issue-text.ts'

const alpha2 = new Set(codes.map(([code]) => code))

/**
 * True for an upper-case ISO 3166-1 alpha-2 code in use; Kosovo's user-assigned XK counts, because
 * address databases name it so.
 */
export function isCountryCode(code: string): boolean {
  return alpha2.has(code)
}

/** A country as ISO 3166-1 alpha-2, upper-cased. */
export const countryCode = z
  .string()
  .max(10, says('countryCode'))
  .transform((value) => value.trim().toUpperCase())
  .superRefine((value, context) => {
    if (!/^[A-Z]{2}$/.test(value))
      context.addIssue({ code: 'custom', message: issueText('countryCode') })
    else if (!alpha2.has(value))
      context.addIssue({
        code: 'custom',
        message: mistaken[value]
          ? issueText('otherCountryCode', { value, right: mistaken[value] })
          : issueText('country', { value }),
      })
  })
  .meta({ openapi: { minLength: 2, maxLength: 2, enum: [...alpha2].sort() } })

/** Codes that people write for a country which has another one. */
const mistaken: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR', XI: 'GB', EN: 'GB' }
