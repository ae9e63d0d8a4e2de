import { getPublicSuffix, parse } from 'tldts'
import { z } from 'zod'
import { isHostName } from './text.ts'

// The last labels that the mail server accepts beside known public suffixes.
const privateSuffixes = new Set(['test', 'localhost', 'local', 'internal', 'lan', 'home', 'corp', 'intranet', 'private', 'localdomain'])

/**
 * A domain in its canonical form: lower-case A-labels (UTS #46 by the URL parser), no trailing dot. Undefined when the text is
 * no domain name, an address, or a public suffix such as `co.uk` that nobody can own.
 */
export function canonicalDomain(text: string): string | undefined {
  const trimmed = text.trim().replace(/\.$/, '')
  if (trimmed === '' || /[\s/:@?#%[\]\\]/.test(trimmed)) return undefined
  let host: string
  try {
    host = new URL(`http://${trimmed}`).hostname
  } catch {
    return undefined
  }
  if (!isHostName(host) || !isWellEncoded(host)) return undefined
  const parsed = parse(host, { allowPrivateDomains: false })
  if (parsed.isIp) return undefined
  const last = host.slice(host.lastIndexOf('.') + 1)
  if (privateSuffixes.has(last)) return host
  if (!parsed.isIcann) return undefined
  return getPublicSuffix(host) === host ? undefined : host
}

/** True when every `xn--` label decodes (RFC 5891). URL parsers leave names of ASCII alone unless another label is not ASCII. */
function isWellEncoded(host: string): boolean {
  return !/(^|\.)xn--/.test(host) || URL.canParse(`http://\u00fc.${host}`)
}

/** A domain that a tenant can own, in its canonical form. */
export const domainName = z
  .string()
  .max(1000)
  .transform((value, context) => {
    const domain = canonicalDomain(value)
    if (domain) return domain
    context.addIssue({ code: 'custom', message: 'This is not a domain name that can be owned.' })
    return z.NEVER
  })
