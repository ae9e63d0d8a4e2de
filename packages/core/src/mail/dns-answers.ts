import { type CheckText, checkText } from './check-text.ts'

/** Record types that domains are checked by. */
export type RecordType = 'A' | 'AAAA' | 'CAA' | 'CNAME' | 'MX' | 'SRV' | 'TLSA' | 'TXT'

/**
 * The DNS records of a name and a type. Values are as in a zone: `10 mail.example.org` for MX, a
 * TXT joined from its pieces; names are lower-case and without the dot at the end. `unknown` says
 * nothing about the record: the lookup failed.
 */
export type DnsAnswer =
  | { state: 'found'; values: readonly string[] }
  /** `nonexistent`: there is no such name at all (NXDOMAIN), not only no such record. */
  | { state: 'absent'; nonexistent: boolean }
  | { state: 'unknown'; reason: CheckText }

/**
 * How a pure rule queries DNS: undefined means that the result is not there yet. The rule then
 * continues as far as it can, and the caller fetches the missing records and runs the rule again,
 * until none is missing.
 */
export type Ask = (type: RecordType, name: string) => DnsAnswer | undefined

/**
 * The result as a rule reads it. A pending lookup counts as unknown, because the rule runs again.
 */
export function lookup(ask: Ask, type: RecordType, name: string): DnsAnswer {
  return ask(type, name) ?? { state: 'unknown', reason: checkText('dns.pending') }
}

/** The values, none when absent; undefined when they are not known. */
export function valuesOf(ask: Ask, type: RecordType, name: string): readonly string[] | undefined {
  const result = lookup(ask, type, name)
  if (result.state === 'unknown') return undefined
  return result.state === 'found' ? result.values : []
}
