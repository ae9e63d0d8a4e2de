import { type CheckText, checkText } from './check-text.ts'
import type { Comparison } from './dkim.ts'
import { parseTagList } from './tag-list.ts'

const strength = { none: 0, quarantine: 1, reject: 2 } as const
type Policy = keyof typeof strength

/** What a DMARC record asks of receivers; tags that Atrium does not set are left out. */
export interface DmarcRecord {
  policy: Policy
  /** Policy for subdomains; the same as `policy` when absent. */
  subdomains: Policy
  pct: number
  /** Addresses of aggregate reports, `mailto:` removed, lower-case, size limits dropped. */
  rua: readonly string[]
}

/** The record for a policy. `pct` 100 is the default and left out. */
export function dmarcText({
  policy,
  rua,
  pct,
}: {
  policy: Policy
  rua: string | null
  pct: number
}): string {
  return `v=DMARC1; p=${policy}${pct === 100 ? '' : `; pct=${pct}`}${rua === null ? '' : `; rua=mailto:${rua}`}`
}

/**
 * True for a TXT record that receivers treat as a DMARC record (RFC 7489 section 6.6.3): it starts
 * with exactly `v=DMARC1`.
 */
export function isDmarc(text: string): boolean {
  return /^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text)
}

/**
 * Reads a record (RFC 7489 section 6.3). `fault` is a sentence; receivers then apply nothing, or at
 * most monitor.
 */
export function parseDmarc(
  text: string,
): { record: DmarcRecord; fault?: never } | { fault: CheckText; record?: never } {
  const { tags, fault } = parseTagList(text)
  if (fault !== undefined) return { fault }
  const policy = tags.get('p')?.toLowerCase()
  if (policy === undefined) return { fault: checkText('dmarc.noPolicy') }
  if (!isPolicy(policy)) return { fault: checkText('dmarc.policy', { tag: 'p', value: policy }) }
  const subdomains = tags.get('sp')?.toLowerCase() ?? policy
  if (!isPolicy(subdomains))
    return { fault: checkText('dmarc.policy', { tag: 'sp', value: subdomains }) }
  const share = tags.get('pct') ?? '100'
  if (!/^\d{1,3}$/.test(share) || Number(share) > 100)
    return { fault: checkText('dmarc.share', { value: share }) }
  const rua: string[] = []
  for (const uri of tags.get('rua')?.split(',') ?? []) {
    const [, address] = /^mailto:([^!]+)(![0-9]+[kmgt]?)?$/i.exec(uri.trim()) ?? []
    if (address === undefined) return { fault: checkText('dmarc.address', { value: uri.trim() }) }
    rua.push(decoded(address).toLowerCase())
  }
  return { record: { policy, subdomains, pct: Number(share), rua } }
}

function isPolicy(text: string): text is Policy {
  return Object.hasOwn(strength, text)
}

/** Decodes `%21` and `%2C` to `!` and `,` in report addresses; what does not decode stays. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/**
 * Compares published TXT records with the wanted policy by their tags. A stronger policy, a larger
 * share and additional report addresses are fine; the first two are reported.
 */
export function compareDmarc(expected: string, published: readonly string[]): Comparison {
  const requested = parseDmarc(expected).record
  if (!requested) throw new Error('the expected DMARC record cannot be read')
  const records = published.filter(isDmarc)
  if (records.length === 0) {
    if (published.length === 0) return { verdict: 'missing', reason: null }
    return mismatch(checkText('dmarc.notDmarc'))
  }
  if (records.length > 1) return mismatch(checkText('dmarc.several', { count: records.length }))
  const { record, fault } = parseDmarc(records[0] ?? '')
  if (fault !== undefined) return mismatch(checkText('dmarc.unreadable', { fault }))
  if (strength[record.policy] < strength[requested.policy]) {
    return mismatch(checkText('dmarc.weaker', { found: record.policy, expected: requested.policy }))
  }
  const missing = requested.rua.filter((address) => !record.rua.includes(address))
  const [first] = missing
  if (first !== undefined)
    return mismatch(checkText('dmarc.reportsElsewhere', { missing: missing.join(', '), first }))
  if (
    record.policy === requested.policy &&
    record.policy !== 'none' &&
    record.pct < requested.pct
  ) {
    return mismatch(checkText('dmarc.lessShare', { found: record.pct, expected: requested.pct }))
  }
  if (strength[record.policy] > strength[requested.policy])
    return stronger(record, requested.policy)
  if (strength[record.subdomains] < strength[record.policy]) {
    return ok(checkText('dmarc.subdomains', { policy: record.subdomains }))
  }
  if (record.policy !== 'none' && record.pct > requested.pct)
    return ok(checkText('dmarc.moreShare', { found: record.pct }))
  return ok(null)
}

function stronger(record: DmarcRecord, requested: Policy): Comparison {
  return ok(checkText('dmarc.stronger', { found: record.policy, expected: requested }))
}

function mismatch(reason: CheckText): Comparison {
  return { verdict: 'mismatch', reason }
}

function ok(reason: CheckText | null): Comparison {
  return { verdict: 'ok', reason }
}
