import type { ReadingGroup, ReadingKind } from '@atrium/db/readings'
import type { House } from '../house.ts'
import { factorsReader } from '../mfa/reader.ts'
import { usageReader } from '../storage/reader.ts'
import { type Reader, refreshReadings } from './refresh.ts'

const readers: Record<ReadingKind, (house: House) => Reader | undefined> = { second_factors: factorsReader, file_usage: usageReader }

/** A job's wake-up. Where the system is not connected there is nothing to read. */
export async function refreshGroupReadings(house: House, group: ReadingGroup, kind: ReadingKind): Promise<void> {
  const reader = readers[kind](house)
  if (reader) await refreshReadings(house, reader, group)
}
