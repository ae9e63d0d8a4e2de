import ipaddr from 'ipaddr.js'
import { type CheckText, checkText } from './check-text.ts'

export type SpfQualifier = '+' | '-' | '~' | '?'

/** A mechanism of an SPF record (RFC 7208 section 5), in the form that it is judged by. */
export type SpfTerm = { qualifier: SpfQualifier; text: string } & (
  | { mechanism: 'all' }
  /** `domain` undefined: the domain of the record itself. Prefix lengths in bits. */
  | { mechanism: 'a' | 'mx'; domain: string | undefined; bits4: number; bits6: number }
  | { mechanism: 'include' | 'exists'; domain: string }
  | { mechanism: 'ptr'; domain: string | undefined }
  | { mechanism: 'ip4' | 'ip6'; network: SpfNetwork }
)

export interface SpfNetwork {
  address: ipaddr.IPv4 | ipaddr.IPv6
  bits: number
}

export interface SpfRecord {
  text: string
  terms: readonly SpfTerm[]
  redirect: string | undefined
}

/**
 * True for a TXT record that receivers take for SPF (RFC 7208 section 4.5): `v=spf1`, then a space
 * or the end.
 */
export function isSpf(text: string): boolean {
  return /^v=spf1( |$)/i.test(text)
}

/**
 * True for what was meant as SPF and is none, such as `"v=spf1 …"` with quotation marks or
 * `v = spf1`.
 */
export function isSpfText(text: string): boolean {
  return !isSpf(text) && /^[\s"'“”]*(v\s*(?:[=:]\s*)?)?spf\d?\b/i.test(text)
}

/**
 * Reads a record. `fault` is a sentence about what makes receivers give up on it (permerror, RFC
 * 7208 section 4.6).
 */
export function parseSpf(
  text: string,
): { record: SpfRecord; fault?: never } | { fault: CheckText; record?: never } {
  if (!isSpf(text)) return { fault: checkText('spf.start') }
  const terms: SpfTerm[] = []
  let redirect: string | undefined
  let explained = false
  for (const term of text.slice('v=spf1'.length).split(' ').filter(Boolean)) {
    const [, name, value] = /^([a-z][a-z0-9._-]*)=(.*)$/i.exec(term) ?? []
    if (name === undefined) {
      const parsed = parseMechanism(term)
      if ('key' in parsed) return { fault: parsed }
      terms.push(parsed)
    } else if (name.toLowerCase() === 'redirect') {
      if (redirect !== undefined) return { fault: checkText('spf.twice', { modifier: 'redirect' }) }
      if (!isTarget(value)) return { fault: checkText('spf.noDomain', { term }) }
      redirect = lower(value)
    } else if (name.toLowerCase() === 'exp') {
      if (explained) return { fault: checkText('spf.twice', { modifier: 'exp' }) }
      explained = true
    }
  }
  return { record: { text, terms, redirect } }
}

/** The term, or what is wrong with it. */
function parseMechanism(term: string): SpfTerm | CheckText {
  const [head = '', sign = '', name = ''] = /^([-+~?]?)([a-z0-9]+)/i.exec(term) ?? []
  const rest = term.slice(head.length)
  const qualifier = (sign || '+') as SpfQualifier
  const bad = checkText('spf.unreadableTerm', { term })
  const common = { qualifier, text: term }
  switch (name.toLowerCase()) {
    case 'all':
      return rest === '' ? { ...common, mechanism: 'all' } : bad
    case 'include':
    case 'exists': {
      const domain = rest.startsWith(':') ? rest.slice(1) : ''
      return isTarget(domain)
        ? {
            ...common,
            mechanism: name.toLowerCase() as 'include' | 'exists',
            domain: lower(domain),
          }
        : checkText('spf.noDomain', { term })
    }
    case 'ptr': {
      if (rest === '') return { ...common, mechanism: 'ptr', domain: undefined }
      const domain = rest.startsWith(':') ? rest.slice(1) : ''
      return isTarget(domain) ? { ...common, mechanism: 'ptr', domain: lower(domain) } : bad
    }
    case 'a':
    case 'mx':
      return parseHosts(common, name.toLowerCase() as 'a' | 'mx', rest) ?? bad
    case 'ip4':
    case 'ip6':
      return (
        parseNetwork(common, name.toLowerCase() as 'ip4' | 'ip6', rest) ??
        checkText(name.toLowerCase() === 'ip4' ? 'spf.noIpv4' : 'spf.noIpv6', { term })
      )
    default:
      return /^[-+~?]?[0-9.]+(\/\d+)?$/.test(term)
        ? checkText('spf.lacksIp4', { term })
        : checkText('spf.noMechanism', { term })
  }
}

type Common = Pick<SpfTerm, 'qualifier' | 'text'>

function parseHosts(common: Common, mechanism: 'a' | 'mx', rest: string): SpfTerm | undefined {
  const [, , domain, bits4 = '32', bits6 = '128'] =
    /^(:([^/]+))?(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/.exec(rest) ?? [
      undefined,
      undefined,
      undefined,
      '',
    ]
  if (bits4 === '' || Number(bits4) > 32 || Number(bits6) > 128) return undefined
  if (domain !== undefined && !isTarget(domain)) return undefined
  return {
    ...common,
    mechanism,
    domain: domain === undefined ? undefined : lower(domain),
    bits4: Number(bits4),
    bits6: Number(bits6),
  }
}

function parseNetwork(common: Common, mechanism: 'ip4' | 'ip6', rest: string): SpfTerm | undefined {
  const [, address, prefix] = /^:([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(rest) ?? []
  if (address === undefined) return undefined
  const four = mechanism === 'ip4'
  if (four ? !ipaddr.IPv4.isValidFourPartDecimal(address) : !ipaddr.IPv6.isValid(address))
    return undefined
  const bits = Number(prefix ?? (four ? 32 : 128))
  if (bits > (four ? 32 : 128)) return undefined
  return { ...common, mechanism, network: { address: ipaddr.parse(address), bits } }
}

/** A domain-spec: a name, or text with macros (`%{i}`) that only a receiver can fill in. */
function isTarget(text: string | undefined): text is string {
  return (
    text !== undefined &&
    text !== '' &&
    text.length <= 253 &&
    /^[^\s/:]+$/.test(text) &&
    (hasMacro(text) || /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/i.test(text))
  )
}

export function hasMacro(domain: string): boolean {
  return domain.includes('%')
}

function lower(domain: string): string {
  return domain.toLowerCase().replace(/\.$/, '')
}

/** True when the address lies in the network; addresses of the other family never do. */
export function isWithin(address: string, { address: network, bits }: SpfNetwork): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4' && network.kind() === 'ipv4')
    return (parsed as ipaddr.IPv4).match(network as ipaddr.IPv4, bits)
  if (parsed.kind() === 'ipv6' && network.kind() === 'ipv6')
    return (parsed as ipaddr.IPv6).match(network as ipaddr.IPv6, bits)
  return false
}

/**
 * The network of `bits` length around an address, as `a` and `mx` with a prefix length mean it;
 * undefined for what is no address.
 */
export function networkAround(
  address: string,
  bits4: number,
  bits6: number,
): SpfNetwork | undefined {
  if (!ipaddr.isValid(address)) return undefined
  const parsed = ipaddr.process(address)
  return { address: parsed, bits: parsed.kind() === 'ipv4' ? bits4 : bits6 }
}
