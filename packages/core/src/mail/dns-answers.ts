/** Record types that domains are checked by. */
export type RecordType = 'A' | 'AAAA' | 'CAA' | 'CNAME' | 'MX' | 'SRV' | 'TLSA' | 'TXT'

/**
 * What DNS says of a name and a type. Values stand as in a zone: `10 mail.example.org` for MX, a
 * TXT joined from its pieces; names are lower-case and without the dot at the end. `unknown` says
 * nothing about the record: it could not be asked.
 */
export type DnsAnswer =
  | { state: 'found'; values: readonly string[] }
  /** `nonexistent`: there is no such name at all (NXDOMAIN), not only no such record. */
  | { state: 'absent'; nonexistent: boolean }
  | { state: 'unknown'; reason: string }

/**
 * How a pure rule asks DNS: undefined means that the answer is not there yet. The rule then goes on
 * as well as it can, and the caller fetches what was asked for and runs the rule again, until
 * nothing is left to ask.
 */
export type Ask = (type: RecordType, name: string) => DnsAnswer | undefined

/**
 * The answer as a rule reads it; one that is still under way counts as unknown, because the rule
 * runs again.
 */
export function lookup(ask: Ask, type: RecordType, name: string): DnsAnswer {
  return ask(type, name) ?? { state: 'unknown', reason: 'DNS has not answered yet.' }
}

/** The values, none when absent; undefined when they are not known. */
export function valuesOf(ask: Ask, type: RecordType, name: string): readonly string[] | undefined {
  const result = lookup(ask, type, name)
  if (result.state === 'unknown') return undefined
  return result.state === 'found' ? result.values : []
}
