import { AppError } from '@atrium/core/platform/errors'
import { type LimitName, limitReached, limits } from '@atrium/core/platform/limits'
import type { CountedWindow } from '@atrium/db/platform/rate-limits'
import type { Clock } from './clock.ts'

/** A limit that each process counts for itself. */
export interface RateLimit {
  /**
   * Throws AppError `rate_limited`, with the seconds to wait, when this caller reached the limit in
   * the present minute.
   */
  take(caller: string): void
  /** Throws what `take` would throw, and takes nothing. */
  check(caller: string): void
}

const minuteMs = 60_000
/**
 * Callers that are remembered at a time, in about 25 MiB; beyond them the half that came first is
 * forgotten.
 */
export const mostRemembered = 200_000

/** `most` is what the installation allows a minute; the default is the declared number. */
export function createRateLimit({
  limit,
  most,
  clock,
}: {
  limit: LimitName
  most?: number | undefined
  clock: Clock
}): RateLimit {
  const perMinute = most ?? limits[limit].most
  let minute = 0
  let taken = createCounts()
  function check(caller: string): void {
    const now = clock.now().getTime()
    const present = Math.floor(now / minuteMs)
    if (present !== minute) {
      minute = present
      taken = createCounts()
    }
    if (taken.of(caller) < perMinute) return
    const end = (present + 1) * minuteMs
    const detail = limitReached(limit, perMinute, new Date(end))
    throw new AppError('rate_limited', detail, {
      retryAfterSeconds: Math.ceil((end - now) / 1000),
      limit,
    })
  }
  return {
    check,
    take(caller) {
      check(caller)
      taken.add(caller, 1)
    },
  }
}

/**
 * Counts in the memory of this process, for as long as the counts in the database cannot be
 * reached.
 */
export interface WindowCounts {
  /**
   * Adds to the counts of these windows (one unless `amount` says otherwise) and returns the sums.
   */
  take(windows: readonly (CountedWindow & { amount?: number })[]): number[]
  /** How many are taken in each, without taking one. */
  countTaken(windows: readonly CountedWindow[]): number[]
}

export function createWindowCounts(): WindowCounts {
  const taken = createCounts()
  const nameOf = ({ key, start }: CountedWindow) => `${key} ${start.getTime()}`
  return {
    take: (windows) => windows.map((window) => taken.add(nameOf(window), window.amount ?? 1)),
    countTaken: (windows) => windows.map((window) => taken.of(nameOf(window))),
  }
}

/**
 * Numbers by name in two halves: when the younger one is full, the older one goes. One map could
 * not tell its oldest without a search.
 */
function createCounts() {
  let younger = new Map<string, number>()
  let older = new Map<string, number>()
  const of = (name: string) => younger.get(name) ?? older.get(name) ?? 0
  return {
    of,
    /** Returns the sum. */
    add(name: string, amount: number): number {
      const count = of(name) + amount
      if (younger.size >= mostRemembered / 2) {
        older = younger
        younger = new Map()
      }
      younger.set(name, count)
      return count
    },
  }
}
