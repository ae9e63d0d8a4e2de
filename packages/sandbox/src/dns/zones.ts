import { z } from 'zod'
import { toWire } from './packets.ts'
import type { ZoneRecord } from './zone-parser.ts'

export const ZoneRecordInput = z.strictObject({
  name: z.string().min(1).max(253).transform(plainName),
  type: z
    .string()
    .min(1)
    .max(10)
    .transform((type) => type.toUpperCase()),
  value: z.string().max(8_000),
})
const Saved = z.record(z.string(), z.array(ZoneRecordInput))

export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** What DNS holds for a name: its records, none, or no such name. */
export type Found = { exists: boolean; records: readonly ZoneRecord[] }

export interface Zones {
  /**
   * Replaces the zone of a domain. Throws ZoneFault when a record is outside the domain or has no
   * proper value; then nothing changes.
   */
  put(domain: string, records: readonly ZoneRecord[]): void
  /** False when there is no such zone. */
  remove(domain: string): boolean
  /** What was put, by domain. */
  list(): Readonly<Record<string, readonly ZoneRecord[]>>
  find(name: string): Found
  save(): unknown
  load(saved: unknown): void
  clear(): void
}

/** Zones by their domain. `elsewhere` serves names without a zone. */
export function createZones(elsewhere: (name: string) => readonly ZoneRecord[] | undefined): Zones {
  const zones = new Map<string, readonly ZoneRecord[]>()

  function zoneOf(name: string): readonly ZoneRecord[] | undefined {
    for (let domain = name; domain !== ''; domain = domain.slice(domain.indexOf('.') + 1)) {
      const zone = zones.get(domain)
      if (zone) return zone
      if (!domain.includes('.')) break
    }
    return elsewhere(name)
  }
  function put(domain: string, records: readonly ZoneRecord[]): void {
    for (const record of records) toWire(record)
    zones.set(domain, records)
  }
  return {
    put,
    remove: (domain) => zones.delete(domain),
    list: () => Object.fromEntries(zones),
    find(name) {
      const zone = zoneOf(name) ?? []
      const records = zone.filter((record) => record.name === name)
      return {
        records,
        exists: records.length > 0 || zone.some((record) => record.name.endsWith(`.${name}`)),
      }
    },
    save: () => Object.fromEntries(zones),
    load(saved) {
      zones.clear()
      for (const [domain, records] of Object.entries(Saved.parse(saved))) put(domain, records)
    },
    clear: () => zones.clear(),
  }
}
