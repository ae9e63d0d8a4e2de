import ipaddr from 'ipaddr.js'
import type { Issue } from '../platform/errors.ts'
import { issueText } from '../platform/issue-text.ts'
import type { Warning } from '../platform/warnings.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = { address: Address; bits: number }

// No client connects from one of these.
const unusable = ['unspecified', 'multicast', 'broadcast']

/**
 * The entries of an allowlist in canonical form: IPv4 in four decimal numbers, IPv6 as in RFC 5952,
 * IPv4-mapped IPv6 as IPv4, one address without a prefix length, IPv4 before IPv6, in numerical
 * order. An entry within another is dropped with a warning. `issues` names each invalid entry: bits
 * behind the prefix are rejected, because the address or the network could be meant.
 */
export function canonicalAllowlist(
  entries: readonly string[],
): { entries: string[]; warnings: Warning[] } | { issues: Issue[] } {
  const issues: Issue[] = []
  const networks: (Network & { path: string })[] = []
  for (const [index, text] of entries.entries()) {
    const path = `ipAllowlist.${index}`
    const read = readNetwork(text.trim())
    if (typeof read === 'string') issues.push({ path, message: read })
    else networks.push({ ...read, path })
  }
  if (issues.length > 0) return { issues }
  const warnings: Warning[] = []
  const kept = networks.filter((one, index) => {
    const wider = networks.find(
      (other, at) => covers(other, one) && (!covers(one, other) || at < index),
    )
    if (!wider) return true
    const message = covers(one, wider)
      ? issueText('networkTwice', { value: write(one) })
      : issueText('networkWithin', { value: write(one), wider: write(wider) })
    warnings.push({ code: 'allowlist_overlap', path: one.path, message })
    return false
  })
  return { entries: kept.sort(byNumber).map(write), warnings }
}

/**
 * True when the address is in one of the canonical entries; an empty list admits everyone. False
 * for an invalid address.
 */
export function allowlistAdmits(entries: readonly string[], ip: string): boolean {
  if (entries.length === 0) return true
  const client = readAddress(ip)
  if (!client) return false
  const { address } = unmapped(client)
  for (const [bits, members] of networksOf(entries))
    if (members.has(maskedBytes({ address, bits }).join())) return true
  return false
}

/** The masked bytes of networks by prefix length. Those of IPv4 and IPv6 differ in number. */
type NetworksByLength = ReadonlyMap<number, ReadonlySet<string>>

// By the list itself, because a preview checks thousands of addresses against one list.
const parsed = new WeakMap<readonly string[], NetworksByLength>()

function networksOf(entries: readonly string[]): NetworksByLength {
  const known = parsed.get(entries)
  if (known) return known
  const byLength = new Map<number, Set<string>>()
  for (const entry of entries) {
    const network = readNetwork(entry)
    if (typeof network === 'string') continue
    const members = byLength.get(network.bits) ?? new Set()
    byLength.set(network.bits, members.add(maskedBytes(network).join()))
  }
  parsed.set(entries, byLength)
  return byLength
}

/** An address or network, or a sentence on why the text is neither. */
function readNetwork(text: string): Network | string {
  const [host = '', prefix, ...rest] = text.split('/')
  const parsed = readAddress(host)
  if (!parsed || rest.length > 0) return unreadable(host)
  const { address, shift } = unmapped(parsed)
  const provided =
    prefix === undefined ? widthOf(parsed) : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  const bits = provided - shift
  if (!(provided <= widthOf(parsed)) || bits < 0)
    return issueText('prefixLength', { most: widthOf(parsed) })
  if (bits === 0) return issueText('prefixLengthZero')
  const network = { address, bits }
  const lowest = masked(network)
  if (!sameBytes(lowest, address)) {
    return issueText('bitsBehindPrefix', {
      network: write({ address: lowest, bits }),
      address: write({ address, bits: widthOf(address) }),
    })
  }
  const kind = address.range()
  return unusable.includes(kind) ? issueText('noClientAddress', { kind }) : network
}

/**
 * Only the usual notations: four decimal numbers without leading zeros, and IPv6 without a zone.
 * Others read 010 as octal or 1.2 as 1.0.0.2.
 */
function readAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)
    ? ipaddr.IPv6.parse(text)
    : undefined
}

function unreadable(host: string): string {
  if (host.includes('%')) return issueText('addressZone')
  if (/^[0-9.]+$/.test(host)) return issueText('ipv4Numbers')
  return issueText('network')
}

function unmapped(address: Address): { address: Address; shift: number } {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? { address: address.toIPv4Address(), shift: 96 }
    : { address, shift: 0 }
}

const widthOf = (address: Address) => (address.kind() === 'ipv4' ? 32 : 128)

function masked(network: Network): Address {
  return ipaddr.fromByteArray(maskedBytes(network))
}

function maskedBytes({ address, bits }: Network): number[] {
  return address
    .toByteArray()
    .map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff)
}

function sameBytes(one: Address, other: Address): boolean {
  return one.toByteArray().join() === other.toByteArray().join()
}

/** False for IPv4 and IPv6 together, whose addresses have unequal numbers of bytes. */
function covers(wide: Network, narrow: Network): boolean {
  return (
    wide.bits <= narrow.bits &&
    sameBytes(masked({ address: narrow.address, bits: wide.bits }), wide.address)
  )
}

/** For networks none of which covers another, so that their addresses differ. */
function byNumber(one: Network, other: Network): number {
  const [ours, theirs] = [one.address.toByteArray(), other.address.toByteArray()]
  return ours.reduce(
    (order, byte, index) => order || byte - (theirs[index] ?? 0),
    ours.length - theirs.length,
  )
}

function write({ address, bits }: Network): string {
  const text = address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
  return bits === widthOf(address) ? text : `${text}/${bits}`
}
