import {
  type ClaimedMember,
  claimReadings,
  countDueReadings,
  type Due,
  type Reading,
  type ReadingGroup,
  type ReadingKind,
  releaseReadings,
  saveReadings,
} from '@atrium/db/readings'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'

/** Asks an outside system about one person. What it answers must be plain data. */
export interface Reader {
  kind: ReadingKind
  read(member: ClaimedMember, signal: AbortSignal): Promise<object>
}

const seconds = 1_000
const freshFor = 15 * 60 * seconds
/** A failure is not asked about again at once, or every look at the page would ask a system that is down. */
const failedFor = 60 * seconds
const claimedFor = 60 * seconds
const lookAgainAfter = 10 * seconds
const atOnce = 4
const batch = 40
const patience = 3 * seconds
/** A batch must end before its claims do: ten rounds of four. */
const longestReading = 5 * seconds

function dueNow({ clock }: House, group: ReadingGroup, kind: ReadingKind): Due {
  const now = clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  return { group, kind, now, freshSince: before(freshFor), retriedSince: before(failedFor) }
}

/**
 * Brings the readings of a tenant's members or a partner's staff up to date: a few while the caller waits, up to three seconds, more in the background.
 * True when some are still to come.
 */
export async function freshenReadings(house: House, reader: Reader, group: ReadingGroup): Promise<boolean> {
  const { db } = house.database
  const due = await countDueReadings(db, dueNow(house, group, reader.kind))
  if (due === 0) return false
  if (due <= batch) {
    await readBatch(house, reader, group, AbortSignal.timeout(patience))
    if ((await countDueReadings(db, dueNow(house, group, reader.kind))) === 0) return false
  }
  try {
    await house.jobs.wakeReadings(group, reader.kind, 0)
  } catch (err) {
    // What is known can be answered all the same, and the next look wakes the work again.
    house.log.error({ err, ...group, kind: reader.kind }, 'nobody was woken to bring readings up to date')
  }
  return true
}

/** A job's work: everything of the group that is due. What others have claimed is looked at again later. */
export async function refreshReadings(house: House, reader: Reader, group: ReadingGroup): Promise<void> {
  while ((await readBatch(house, reader, group, undefined)) > 0);
  const left = await countDueReadings(house.database.db, dueNow(house, group, reader.kind))
  if (left > 0) await house.jobs.wakeReadings(group, reader.kind, lookAgainAfter / seconds)
}

/** Reads up to forty people, four at a time. Answers how many it took. */
async function readBatch(house: House, reader: Reader, group: ReadingGroup, signal: AbortSignal | undefined): Promise<number> {
  const { db } = house.database
  const due = dueNow(house, group, reader.kind)
  const members = await claimReadings(db, due, batch, new Date(due.now.getTime() + claimedFor))
  const readings: Reading[] = []
  // Four loops over one iterator: each takes the next member when it is done with the one before.
  const waiting = members.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const member of waiting) {
        const reading = signal?.aborted ? undefined : await readOne(house, reader, member, signal)
        if (reading) readings.push(reading)
      }
    }),
  )
  await saveReadings(db, reader.kind, readings, house.clock.now())
  const read = new Set(readings.map(({ userId }) => userId))
  await releaseReadings(
    db,
    reader.kind,
    members.map(({ id }) => id).filter((id) => !read.has(id)),
  )
  return members.length
}

/** Undefined when the caller's patience ended first: that tells nothing about the system. */
async function readOne(house: House, reader: Reader, member: ClaimedMember, signal: AbortSignal | undefined) {
  const limits = [AbortSignal.timeout(longestReading), ...(signal ? [signal] : [])]
  try {
    return { userId: member.id, value: await reader.read(member, AbortSignal.any(limits)) }
  } catch (error) {
    if (signal?.aborted) return undefined
    if (error instanceof UpstreamError) return { userId: member.id, failure: error.message }
    house.log.error({ err: error, userId: member.id, kind: reader.kind }, 'a reading failed')
    return { userId: member.id, failure: 'The reading failed for a reason of ours.' }
  }
}
