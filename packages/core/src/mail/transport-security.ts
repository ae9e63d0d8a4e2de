import { parseTagList } from '../platform/tag-list.ts'
import type { Comparison } from './dkim.ts'

/**
 * Compares the TXT records at `_mta-sts` (RFC 8461 section 3.1) with the one asked for, by their
 * id. A policy that is left from another provider names that provider's mail servers, so senders
 * that enforce it do not deliver to ours.
 */
export function compareMtaSts(expected: string, published: readonly string[]): Comparison {
  const { record, fault } = single(published, 'STSv1', 'an MTA-STS record')
  if (fault) return fault
  if (record.get('id') === parseTagList(expected).tags?.get('id'))
    return { verdict: 'ok', reason: null }
  return mismatch(
    'It announces another policy, perhaps of a mail server that was used before. Senders that enforce it may not deliver here. Publish the record shown here, or remove this one.',
  )
}

/**
 * Compares the TXT records at `_smtp._tls` (RFC 8460 section 3) with the wanted one. Another report
 * address is fine and reported.
 */
export function compareTlsReports(expected: string, published: readonly string[]): Comparison {
  const { record, fault } = single(published, 'TLSRPTv1', 'a TLS-RPT record')
  if (fault) return fault
  const address = record.get('rua') ?? ''
  if (address === '') return mismatch('It names no address for reports.')
  return {
    verdict: 'ok',
    reason:
      address === parseTagList(expected).tags?.get('rua') ? null : `Reports go to ${address}.`,
  }
}

type One =
  | { record: ReadonlyMap<string, string>; fault?: never }
  | { record?: never; fault: Comparison }

/**
 * The tags of the one record of that version; receivers ignore several, and those that begin with
 * another version.
 */
function single(published: readonly string[], version: string, what: string): One {
  if (published.length === 0) return { fault: { verdict: 'missing', reason: null } }
  const records = published.filter((text) => text.split(';')[0]?.trim() === `v=${version}`)
  if (records.length > 1)
    return {
      fault: mismatch(
        `There are ${records.length} such records; senders then ignore all of them. Keep one.`,
      ),
    }
  const [text] = records
  if (text === undefined)
    return {
      fault: mismatch(
        `The TXT record at this name is not ${what}: it does not start with v=${version}.`,
      ),
    }
  const { tags, fault } = parseTagList(text)
  return tags ? { record: tags } : { fault: mismatch(`Senders cannot read it: ${fault}`) }
}

function mismatch(reason: string): Comparison {
  return { verdict: 'mismatch', reason }
}
