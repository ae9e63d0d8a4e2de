import { setInterval } from 'node:timers'
import { extendMembers, type MemberWork, memberLeaseSeconds } from '@atrium/db/members/member-work'
import type { Database } from '@atrium/db/platform/connect'
import type { Logger } from './log.ts'

/**
 * Longer than any piece of work on a member lasts: all its steps to their deadlines, and what is
 * read and written around them.
 */
const longestHoldMs = 60_000

/**
 * Renews the leases of members that this process works on, so that a short lease distinguishes dead
 * processes from slow systems.
 */
export interface MemberLeases {
  /**
   * From a claim on. Ends by itself when the member is freed, or after the longest that such work
   * lasts.
   */
  kept(work: MemberWork): MemberWork
  stop(): void
}

export function createMemberLeases({
  database,
  log,
}: {
  database: Database
  log: Logger
}): MemberLeases {
  const claimedAt = new Map<string, number>()
  let beat: NodeJS.Timeout | undefined

  async function extend(): Promise<void> {
    for (const [run, at] of claimedAt)
      if (performance.now() - at > longestHoldMs) claimedAt.delete(run)
    const requested = [...claimedAt.keys()]
    const held = requested.length === 0 ? [] : await extendMembers(database.db, requested)
    for (const run of requested) if (!held.includes(run)) claimedAt.delete(run)
    if (claimedAt.size === 0) stop()
  }
  function stop(): void {
    clearInterval(beat)
    beat = undefined
  }

  return {
    kept(work) {
      claimedAt.set(work.run, performance.now())
      beat ??= setInterval(
        () => {
          extend().catch((err: unknown) => log.warn({ err }, 'failed to extend member leases'))
        },
        (memberLeaseSeconds * 1000) / 3,
      ).unref()
      return work
    },
    stop,
  }
}
