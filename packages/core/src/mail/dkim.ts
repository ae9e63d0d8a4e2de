import { parseTagList } from '../platform/tag-list.ts'

/**
 * How a published record compares with the one asked for. `reason` is for people; null when there
 * is nothing to say.
 */
export interface Comparison {
  verdict: 'ok' | 'missing' | 'mismatch' | 'unknown'
  reason: string | null
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
    return mismatch(
      `There are ${published.length} TXT records at this name; receivers then may use any of them. Keep one.`,
    )
  }
  const text = published[0] ?? ''
  if (text.includes('"'))
    return mismatch(
      'The value holds quotation marks that do not belong to it. Enter it without quotation marks.',
    )
  if (text.includes('\\'))
    return mismatch(
      'The value holds backslashes that do not belong to it. Enter it as shown, without backslashes.',
    )
  const { tags, fault } = parseTagList(text)
  if (fault !== undefined) return mismatch(`It cannot be read: ${fault}`)
  if (tags.has('v') && tags.get('v') !== 'DKIM1')
    return mismatch(`It starts with v=${tags.get('v')}, not with v=DKIM1.`)
  if (tags.has('v') && [...tags.keys()][0] !== 'v')
    return mismatch('The tag v=DKIM1 must stand first.')
  const found = tags.get('p')
  if (found === undefined) return mismatch('It holds no key: the tag p= is missing.')
  if (bare(found) === '')
    return mismatch('The key is withdrawn: p= is empty. Publish the value shown here.')
  const algorithm = tags.get('k') ?? 'rsa'
  const requestedAlgorithm = requested?.get('k') ?? 'rsa'
  if (algorithm !== requestedAlgorithm)
    return mismatch(
      `The algorithm is k=${algorithm}, and the key is one of k=${requestedAlgorithm}.`,
    )
  if (bare(found) !== key) return mismatch(otherKey(bare(found), key))
  const hashes = tags
    .get('h')
    ?.split(':')
    .map((hash) => hash.trim())
  if (hashes && !hashes.includes('sha256'))
    return mismatch(`It allows only h=${hashes.join(':')}; our signatures use sha256.`)
  const services = tags
    .get('s')
    ?.split(':')
    .map((service) => service.trim())
  if (services && !services.includes('*') && !services.includes('email'))
    return mismatch('Its tag s= does not allow e-mail.')
  const flags = tags
    .get('t')
    ?.split(':')
    .map((flag) => flag.trim())
  if (flags?.includes('y')) {
    return {
      verdict: 'ok',
      reason:
        'The flag t=y says that DKIM is only being tested; receivers may ignore it. Remove t=y.',
    }
  }
  return { verdict: 'ok', reason: null }
}

function mismatch(reason: string): Comparison {
  return { verdict: 'mismatch', reason }
}

function otherKey(found: string, key: string): string {
  if (key.startsWith(found))
    return `The key was cut off after ${found.length} of ${key.length} characters. Enter the whole value.`
  if (found.startsWith(key)) return 'Something follows the key that does not belong to it.'
  return 'It holds another key. Replace it by the value shown here.'
}
