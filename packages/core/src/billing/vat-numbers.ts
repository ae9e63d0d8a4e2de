import jsvat from 'jsvat-next'
import { issueText } from '../platform/issue-text.ts'
import type { Warning } from '../platform/warnings.ts'
import type { VatStatus } from './billing-info.ts'

const { countries, checkVAT } = jsvat

/**
 * Country (ISO 3166-1) → the prefixes of its VAT numbers, where they are not the country's own
 * code.
 */
const prefixesOf: Readonly<Record<string, readonly string[]>> = {
  GR: ['EL'],
  GB: ['GB', 'XI'],
  IM: ['GB'],
  MC: ['FR'],
  CH: ['CHE', 'CH'],
}

// Members of the European Union, Northern Ireland, and the neighbours whose numbers the library
// knows and who are sold to.
const known = countries.filter(({ codes }) => !['BR', 'RU', 'RS', 'AU'].includes(codes[0] ?? ''))
const knownPrefixes = new Set(
  [...known.flatMap(({ codes }) => codes.slice(0, 1)), 'EL', 'XI'].filter((code) => code !== 'GR'),
)

export interface VatVerdict {
  /**
   * As it is to be stored: upper-case, without separators, with its prefix. Null without a number.
   */
  value: string | null
  status: VatStatus
  /** Why the form is wrong, for `format_invalid`. */
  fault: string | null
  warnings: Warning[]
}

/**
 * Checks a VAT number offline: form, then the country's checksum. A number without prefix gets that
 * of `country`; Greece is `EL`, Northern Ireland `XI`. A wrong checksum is a warning, because
 * numbers exist that fail the published rule. `unverified` says that form and checksum hold as far
 * as they are known here, not that the number is in use.
 */
export function checkVatNumber(text: string | null, country: string | null): VatVerdict {
  const plain = (text ?? '').toUpperCase().replace(/[\s.\-/_\u2010-\u2015]/g, '')
  if (plain === '') return { value: null, status: 'none', fault: null, warnings: [] }
  const expected = country === null ? [] : (prefixesOf[country] ?? [country])
  const value = withPrefix(plain, expected)
  const rejected = (fault: string): VatVerdict => ({
    value: plain,
    status: 'format_invalid',
    fault,
    warnings: [],
  })
  if (!/^[A-Z0-9]{4,24}$/.test(value)) return rejected(issueText('vatCharacters'))
  const prefix = value.slice(0, 2)
  if (prefix === 'GR') return rejected(issueText('vatGreek'))
  if (!knownPrefixes.has(prefix)) {
    if (expected.some((one) => knownPrefixes.has(one.slice(0, 2))))
      return rejected(
        issueText('vatPrefix', {
          prefixes: expected.length,
          first: expected[0] ?? '',
          second: expected[1] ?? '',
        }),
      )
    if (country === null) return rejected(issueText('vatCountry'))
    const message = issueText('vatNotChecked', { country: country ?? '' })
    return {
      value,
      status: 'unverified',
      fault: null,
      warnings: [{ code: 'vat_not_checked', path: 'vatNumber', message }],
    }
  }
  const warnings = foreignPrefix(prefix, expected, country)
  const { isValid, isValidFormat } = checkVAT(value, known)
  if (!isValidFormat) return rejected(issueText('vatForm', { prefix }))
  if (isValid) return { value, status: 'unverified', fault: null, warnings }
  const message = issueText('vatChecksum')
  return {
    value,
    status: 'checksum_invalid',
    fault: null,
    warnings: [{ code: 'vat_checksum_invalid', path: 'vatNumber', message }, ...warnings],
  }
}

/**
 * A number that does not begin with a prefix gets that of its country, where numbers of that
 * country have one that is known.
 */
function withPrefix(plain: string, [first]: readonly string[]): string {
  const begins = knownPrefixes.has(plain.slice(0, 2)) || plain.startsWith('GR')
  return first === undefined || begins || !knownPrefixes.has(first.slice(0, 2))
    ? plain
    : `${first}${plain}`
}

function foreignPrefix(
  prefix: string,
  expected: readonly string[],
  country: string | null,
): Warning[] {
  if (country === null || expected.some((one) => one.startsWith(prefix))) return []
  const message = issueText('vatOtherCountry', { prefix, country })
  return [{ code: 'vat_country_mismatch', path: 'vatNumber', message }]
}
