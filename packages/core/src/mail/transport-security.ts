import { type CheckText, type CheckTextKey, checkText } from './check-text.ts'
import type { Comparison } from './dkim.ts'
import { parseTagList } from './tag-list.ts'

/**
 * Compares the TXT records at `_mta-sts` (RFC 8461 section 3.1) with the one asked for, by their
 * id. A policy that is left from another provider names that provider's mail servers, so senders
 * that enforce it do not deliver to ours.
 */
export function compareMtaSts(expected: string, published: readonly string[]): Comparison {
  const { record, fault } = single(published, 'STSv1', 'transport.notMtaSts')
  if (fault) return fault
  if (record.get('id') === parseTagList(expected).tags?.get('id'))
    return { verdict: 'ok', reason: null }
  return mismatch(checkText('transport.otherPolicy'))
}

/**
 * Compares the TXT records at `_smtp._tls` (RFC 8460 section 3) with the wanted one. Another report
 * address is fine and reported.
 */
export function compareTlsReports(expected: string, published: readonly string[]): Comparison {
  const { record, fault } = single(published, 'TLSRPTv1', 'transport.notTlsRpt')
  if (fault) return fault
  const address = record.get('rua') ?? ''
  if (address === '') return mismatch(checkText('transport.noReportAddress'))
  return {
    verdict: 'ok',
    reason:
      address === parseTagList(expected).tags?.get('rua')
        ? null
        : checkText('transport.otherReportAddress', { address }),
  }
}

type One =
  | { record: ReadonlyMap<string, string>; fault?: never }
  | { record?: never; fault: Comparison }

/**
 * The tags of the one record of that version; receivers ignore several, and those that begin with
 * another version. `otherwise` says that none is of this version.
 */
function single(published: readonly string[], version: string, otherwise: CheckTextKey): One {
  if (published.length === 0) return { fault: { verdict: 'missing', reason: null } }
  const records = published.filter((text) => text.split(';')[0]?.trim() === `v=${version}`)
  if (records.length > 1)
    return { fault: mismatch(checkText('transport.several', { count: records.length })) }
  const [text] = records
  if (text === undefined) return { fault: mismatch(checkText(otherwise)) }
  const { tags, fault } = parseTagList(text)
  return tags ? { record: tags } : { fault: mismatch(checkText('transport.unreadable', { fault })) }
}

function mismatch(reason: CheckText): Comparison {
  return { verdict: 'mismatch', reason }
}
