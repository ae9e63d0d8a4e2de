import { stepFailureText } from '@atrium/core/platform/failure-text'
import {
  type CacheGroup,
  type CacheKind,
  type ClaimedMember,
  claimStaleEntries,
  countStaleEntries,
  type Due,
  type Reading,
  releaseCacheEntries,
  saveCacheEntries,
} from '@atrium/db/upstream-cache/upstream-cache'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'

/** Fetches data about one person from an upstream system. The result must be plain data. */
export interface Fetcher {
  kind: CacheKind
  read(member: ClaimedMember, signal: AbortSignal): Promise<object>
}

const seconds = 1_000
const freshFor = 15 * 60 * seconds
/**
 * A failure is not asked about again at once, or every look at the page would ask a system that is
 * down.
 */
const failedFor = 60 * seconds
const claimedFor = 60 * seconds
const lookAgainAfter = 10 * seconds
const atOnce = 4
const batch = 40
const patience = 3 * seconds
/** A batch must end before its claims do: ten rounds of four. */
const fetchDeadline = 5 * seconds

function dueNow({ clock }: Services, group: CacheGroup, kind: CacheKind): Due {
  const now = clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  return { group, kind, now, freshSince: before(freshFor), retriedSince: before(failedFor) }
}

/**
 * Brings the readings of a tenant's members or a partner's staff up to date: a few while the caller
 * waits, up to three seconds, more in the background. True when some are still to come.
 */
export async function ensureFresh(
  services: Services,
  fetcher: Fetcher,
  group: CacheGroup,
): Promise<boolean> {
  const { db } = services.database
  const due = await countStaleEntries(db, dueNow(services, group, fetcher.kind))
  if (due === 0) return false
  if (due <= batch) {
    await readBatch(services, fetcher, group, AbortSignal.timeout(patience))
    if ((await countStaleEntries(db, dueNow(services, group, fetcher.kind))) === 0) return false
  }
  try {
    await services.jobs.enqueueCacheRefresh(group, fetcher.kind, 0)
  } catch (err) {
    // Cached data can still be returned, and the next read enqueues the refresh again.
    services.log.error(
      { err, ...group, kind: fetcher.kind },
      'failed to enqueue an upstream cache refresh',
    )
  }
  return true
}

/**
 * A job's work: everything of the group that is due. What others have claimed is looked at again
 * later.
 */
export async function refreshUpstreamCache(
  services: Services,
  fetcher: Fetcher,
  group: CacheGroup,
): Promise<void> {
  while ((await readBatch(services, fetcher, group, undefined)) > 0);
  const left = await countStaleEntries(services.database.db, dueNow(services, group, fetcher.kind))
  if (left > 0)
    await services.jobs.enqueueCacheRefresh(group, fetcher.kind, lookAgainAfter / seconds)
}

/** Reads up to forty people, four at a time. Returns how many it took. */
async function readBatch(
  services: Services,
  fetcher: Fetcher,
  group: CacheGroup,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { db } = services.database
  const due = dueNow(services, group, fetcher.kind)
  const members = await claimStaleEntries(db, due, batch, new Date(due.now.getTime() + claimedFor))
  const readings: Reading[] = []
  // Four loops over one iterator: each takes the next member when it is done with the one before.
  const waiting = members.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const member of waiting) {
        const reading = signal?.aborted
          ? undefined
          : await readOne(services, fetcher, member, signal)
        if (reading) readings.push(reading)
      }
    }),
  )
  await saveCacheEntries(db, fetcher.kind, readings, services.clock.now())
  const read = new Set(readings.map(({ userId }) => userId))
  await releaseCacheEntries(
    db,
    fetcher.kind,
    members.map(({ id }) => id).filter((id) => !read.has(id)),
  )
  return members.length
}

/** Undefined when the caller's timeout came first: that says nothing about the system. */
async function readOne(
  services: Services,
  fetcher: Fetcher,
  member: ClaimedMember,
  signal: AbortSignal | undefined,
) {
  const limits = [AbortSignal.timeout(fetchDeadline), ...(signal ? [signal] : [])]
  try {
    return { userId: member.id, value: await fetcher.read(member, AbortSignal.any(limits)) }
  } catch (error) {
    if (signal?.aborted) return undefined
    if (error instanceof UpstreamError) return { userId: member.id, failure: error.message }
    services.log.error(
      { err: error, userId: member.id, kind: fetcher.kind },
      'unexpected error in an upstream cache fetch',
    )
    return { userId: member.id, failure: stepFailureText('unforeseen') }
  }
}
