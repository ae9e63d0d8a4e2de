import { isIP, isIPv4 } from 'node:net'
import type { Config } from '../platform/config.ts'
import type { RequestInfo } from './caller.ts'
import { ownServerOf } from './own-servers.ts'

interface RequestOrigin {
  services: { config: Pick<Config, 'booking' | 'appSecrets' | 'trustedProxyHops'> }
  request: RequestInfo
}

/**
 * The address that a visitor's requests are counted by: IPv4 in full, IPv6 as its /64, which is
 * what one machine or site is assigned. Anyone can write X-Forwarded-For, so it is trusted only
 * where its author is known: all of it from our own servers, which prove themselves with a secret;
 * otherwise as many entries from the right as there are trusted proxies; none without any.
 */
export function limitedAddress(requested: RequestOrigin): string {
  return prefixOf(visitorAddress(requested), 64)
}

/** The /48 of an IPv6 address, which one customer is given whole (RFC 6177); undefined for IPv4. */
export function limitedNetwork(requested: RequestOrigin): string | undefined {
  const address = visitorAddress(requested)
  return isIP(address) === 6 ? prefixOf(address, 48) : undefined
}

/**
 * The address of the caller as far as its author is known, see `limitedAddress`; empty when
 * unknown. What the caller wrote is never among it.
 */
export function visitorAddress({ services, request }: RequestOrigin): string {
  const { trustedProxyHops } = services.config
  const entries = (request.header('x-forwarded-for') ?? '')
    .split(',')
    .map((entry) => plain(entry.trim()))
  const reported =
    ownServerOf(services.config, (name) => request.header(name)) !== undefined
      ? entries[0]
      : trustedProxyHops > 0
        ? entries[Math.max(0, entries.length - trustedProxyHops)]
        : undefined
  return reported && isIP(reported) ? reported : plain(request.peerIp ?? '')
}

/**
 * Without brackets, port and zone; an IPv4 address that a dual-stack socket shows as IPv6 is
 * written as IPv4.
 */
function plain(address: string): string {
  const [bare = ''] = address.replace(/^\[(.*)\](:\d+)?$/, '$1').split('%', 1)
  return bare.replace(/^::ffff:(?=\d+\.)/i, '')
}

function prefixOf(address: string, bits: 48 | 64): string {
  if (isIPv4(address)) return address
  if (isIP(address) !== 6) return 'unknown'
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const left = groups(head)
  // A dotted end represents two groups; it never reaches the first four of an address that is not
  // mapped.
  const right = groups(tail).flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
  const missing = 8 - left.length - right.length
  const all = [...left, ...Array.from({ length: missing }, () => '0'), ...right]
  return `${all
    .slice(0, bits / 16)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/${bits}`
}
