import { isCountryCode } from '@atrium/core/billing/countries'
import type { DocumentParty } from '@atrium/core/billing/documents/document'
import { checkVatNumber } from '@atrium/core/billing/vat-numbers'
import { z } from 'zod'

const line = z.string().trim().min(1).max(200)

/** Settings of who issues invoices; `docs/how-to/operate.md` describes each. */
export const sellerShape = {
  SELLER_NAME: line.optional(),
  SELLER_ADDRESS_LINE1: line.optional(),
  SELLER_ADDRESS_LINE2: line.optional(),
  SELLER_POSTAL_CODE: line.optional(),
  SELLER_CITY: line.optional(),
  SELLER_COUNTRY: z.string().refine(isCountryCode, 'is no country of ISO 3166-1').optional(),
  SELLER_VAT_NUMBER: z
    .string()
    .refine((value) => checkVatNumber(value, null).fault === null, 'is no VAT number')
    .optional(),
  SELLER_TAX_NUMBER: line.optional(),
  SELLER_REGISTER: line.optional(),
  SELLER_EMAIL: z.email('is no e-mail address').optional(),
  SELLER_CONTACT_NAME: line.optional(),
  SELLER_CONTACT_PHONE: line
    .refine((value) => value.replaceAll(/\D/g, '').length >= 3, 'has fewer than three digits')
    .optional(),
  SELLER_IBAN: z
    .string()
    .transform((value) => value.replaceAll(/\s/g, ''))
    .refine(isIban, 'is no IBAN')
    .optional(),
  SELLER_BIC: z
    .string()
    .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'is no BIC')
    .optional(),
  SELLER_TAX_EXEMPTION: line.optional(),
  SELLER_VAT_PERCENT: z.coerce.number().min(0).max(100).optional(),
}

type SellerSettings = {
  [Name in keyof typeof sellerShape]?: z.output<(typeof sellerShape)[Name]> | undefined
}

export interface Seller {
  /** Null while something is missing: no document can be issued then. */
  party: DocumentParty | null
  /** The settings that are missing. */
  missing: string[]
  /** Why sales without tax are exempt; null where they are not. */
  exemption: string | null
  /** The rate of the seller's country, for statements of partners there; null where not set. */
  vatPercent: number | null
}

const required = [
  'SELLER_NAME',
  'SELLER_ADDRESS_LINE1',
  'SELLER_POSTAL_CODE',
  'SELLER_CITY',
  'SELLER_COUNTRY',
  'SELLER_EMAIL',
] as const satisfies readonly (keyof SellerSettings)[]

/** What invoices say of who issues them, as VAT directive article 226 asks. */
export function sellerOf(e: SellerSettings): Seller {
  const missing: string[] = required.filter((name) => e[name] === undefined)
  if (e.SELLER_VAT_NUMBER === undefined && e.SELLER_TAX_NUMBER === undefined)
    missing.push('SELLER_VAT_NUMBER')
  const rest = {
    exemption: e.SELLER_TAX_EXEMPTION ?? null,
    vatPercent: e.SELLER_VAT_PERCENT ?? null,
  }
  if (missing.length > 0) return { party: null, missing, ...rest }
  const email = e.SELLER_EMAIL ?? null
  const { SELLER_CONTACT_NAME: name, SELLER_CONTACT_PHONE: phone } = e
  const party: DocumentParty = {
    name: e.SELLER_NAME ?? '',
    address: {
      line1: e.SELLER_ADDRESS_LINE1 ?? null,
      line2: e.SELLER_ADDRESS_LINE2 ?? null,
      city: e.SELLER_CITY ?? null,
      postalCode: e.SELLER_POSTAL_CODE ?? null,
      region: null,
      country: e.SELLER_COUNTRY ?? null,
    },
    vatNumber: checkVatNumber(e.SELLER_VAT_NUMBER ?? null, e.SELLER_COUNTRY ?? null).value,
    taxNumber: e.SELLER_TAX_NUMBER ?? null,
    register: e.SELLER_REGISTER ?? null,
    email,
    contact: name && phone && email ? { name, phone, email } : null,
    bank: e.SELLER_IBAN ? { iban: e.SELLER_IBAN, bic: e.SELLER_BIC ?? null } : null,
  }
  return { party, missing: [], ...rest }
}

/** ISO 13616: the check digits of the whole number modulo 97 are 1. */
function isIban(value: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(value)) return false
  const digits = [...value.slice(4), ...value.slice(0, 4)]
    .map((character) => Number.parseInt(character, 36))
    .join('')
  return BigInt(digits) % 97n === 1n
}
