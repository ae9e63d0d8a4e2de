import { isIPv4, isIPv6 } from 'node:net'
import type { StringAnswer, Answer as WireAnswer } from 'dns-packet'
import { ZoneFault, type ZoneRecord } from './zone-parser.ts'

/** Short, so that changes of a zone are visible immediately. */
const ttl = 1

/**
 * The record as it goes over the wire. Throws ZoneFault for a value that is not of its type, or a
 * type that is not served here.
 */
export function toWire({ name, type, value }: ZoneRecord): WireAnswer {
  const parts = value.trim().split(/\s+/)
  const bad = () => new ZoneFault(`“${value}” is no value of a ${type} record.`)
  const number = (text: string | undefined, most: number) => {
    if (text === undefined || !/^\d+$/.test(text) || Number(text) > most) throw bad()
    return Number(text)
  }
  switch (type) {
    case 'A':
      if (!isIPv4(value)) throw bad()
      return { name, type, ttl, data: value }
    case 'AAAA':
      if (!isIPv6(value)) throw bad()
      return { name, type, ttl, data: value }
    case 'CNAME':
    case 'NS':
      if (parts.length !== 1) throw bad()
      return { name, type, ttl, data: value } as StringAnswer
    case 'MX':
      if (parts.length !== 2) throw bad()
      return {
        name,
        type,
        ttl,
        data: { preference: number(parts[0], 65_535), exchange: parts[1] ?? '' },
      }
    case 'SRV': {
      if (parts.length !== 4) throw bad()
      const [priority, weight, port] = parts.slice(0, 3).map((part) => number(part, 65_535))
      return {
        name,
        type,
        ttl,
        data: { priority, weight, port: port ?? 0, target: parts[3] ?? '' },
      }
    }
    case 'TXT':
      return { name, type, ttl, data: pieces(Buffer.from(value, 'utf8')) }
    default:
      throw new ZoneFault(
        `This DNS serves A, AAAA, CNAME, MX, NS, SRV and TXT records, not ${type}.`,
      )
  }
}

/** A TXT record is made of pieces of at most 255 bytes. */
function pieces(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length; from += 255) parts.push(bytes.subarray(from, from + 255))
  return parts.length === 0 ? [Buffer.alloc(0)] : parts
}
