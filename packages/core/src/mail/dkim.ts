import { type CheckText, checkText } from './check-text.ts'
import { parseTagList } from './tag-list.ts'

/**
 * How a published record compares with the one asked for. `reason` is for people; null when there
 * is nothing to say.
 */
export interface Comparison {
  verdict: 'ok' | 'missing' | 'mismatch' | 'unknown'
  reason: CheckText | null
}

const bare = (key: string) => key.replace(/\s+/g, '')

/**
 * Compares a published key record with the expected one as a receiver reads it (RFC 6376 section
 * 3.6.1): by key and the tags that decide whether it is used, not by text. White space, the order
 * of tags and tags that change nothing do not count.
 */
export function compareDkim(expected: string, published: readonly string[]): Comparison {
  const requested = parseTagList(expected).tags
  const key = bare(requested?.get('p') ?? '')
  if (published.length === 0) return { verdict: 'missing', reason: null }
  if (published.length > 1) {
    return mismatch(checkText('dkim.several', { count: published.length }))
  }
  const text = published[0] ?? ''
  if (text.includes('"')) return mismatch(checkText('dkim.quotationMarks'))
  if (text.includes('\\')) return mismatch(checkText('dkim.backslashes'))
  const { tags, fault } = parseTagList(text)
  if (fault !== undefined) return mismatch(checkText('dkim.unreadable', { fault }))
  const version = tags.get('v')
  if (version !== undefined && version !== 'DKIM1')
    return mismatch(checkText('dkim.version', { version }))
  if (version !== undefined && [...tags.keys()][0] !== 'v')
    return mismatch(checkText('dkim.versionFirst'))
  const found = tags.get('p')
  if (found === undefined) return mismatch(checkText('dkim.noKey'))
  if (bare(found) === '') return mismatch(checkText('dkim.revoked'))
  const algorithm = tags.get('k') ?? 'rsa'
  const requestedAlgorithm = requested?.get('k') ?? 'rsa'
  if (algorithm !== requestedAlgorithm)
    return mismatch(checkText('dkim.algorithm', { found: algorithm, expected: requestedAlgorithm }))
  if (bare(found) !== key) return mismatch(otherKey(bare(found), key))
  const hashes = tags
    .get('h')
    ?.split(':')
    .map((hash) => hash.trim())
  if (hashes && !hashes.includes('sha256'))
    return mismatch(checkText('dkim.hashes', { hashes: hashes.join(':') }))
  const services = tags
    .get('s')
    ?.split(':')
    .map((service) => service.trim())
  if (services && !services.includes('*') && !services.includes('email'))
    return mismatch(checkText('dkim.service'))
  const flags = tags
    .get('t')
    ?.split(':')
    .map((flag) => flag.trim())
  if (flags?.includes('y')) {
    return { verdict: 'ok', reason: checkText('dkim.testing') }
  }
  return { verdict: 'ok', reason: null }
}

function mismatch(reason: CheckText): Comparison {
  return { verdict: 'mismatch', reason }
}

function otherKey(found: string, key: string): CheckText {
  if (key.startsWith(found))
    return checkText('dkim.cutOff', { found: found.length, expected: key.length })
  if (found.startsWith(key)) return checkText('dkim.tooLong')
  return checkText('dkim.otherKey')
}
