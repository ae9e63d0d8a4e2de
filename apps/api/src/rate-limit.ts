import { AppError } from '@atrium/core/errors'
import type { CountedWindow } from '@atrium/db/rate-limits'
import type { Clock } from './clock.ts'

/** Limits what one caller takes of this process. */
export interface RateLimit {
  /** Throws AppError `rate_limited`, with the seconds to wait, when this caller has had its share of the present minute. */
  take(caller: string): void
}

const minuteMs = 60_000
/** Callers that are remembered at a time, in about 25 MiB; beyond them the half that came first is forgotten. */
export const mostRemembered = 200_000

export function createRateLimit({ perMinute, clock }: { perMinute: number; clock: Clock }): RateLimit {
  let minute = 0
  let taken = createCounts()
  return {
    take(caller) {
      const now = clock.now().getTime()
      const present = Math.floor(now / minuteMs)
      if (present !== minute) {
        minute = present
        taken = createCounts()
      }
      const before = taken.of(caller)
      if (before >= perMinute) {
        const retryAfterSeconds = Math.ceil(((present + 1) * minuteMs - now) / 1000)
        throw new AppError('rate_limited', `At most ${perMinute} of these requests a minute.`, { retryAfterSeconds })
      }
      taken.add(caller)
    },
  }
}

/** Counts in the memory of this process, for as long as the counts in the database cannot be reached. */
export interface WindowCounts {
  /** Takes one in each of these windows, and answers how many are taken in each with this one. */
  takeOne(windows: readonly CountedWindow[]): number[]
  /** How many are taken in each, without taking one. */
  countTaken(windows: readonly CountedWindow[]): number[]
}

export function createWindowCounts(): WindowCounts {
  const taken = createCounts()
  const nameOf = ({ key, start }: CountedWindow) => `${key} ${start.getTime()}`
  return {
    takeOne: (windows) => windows.map((window) => taken.add(nameOf(window))),
    countTaken: (windows) => windows.map((window) => taken.of(nameOf(window))),
  }
}

/** Numbers by name in two halves: when the younger one is full, the older one goes. One map could not tell its oldest without a search. */
function createCounts() {
  let younger = new Map<string, number>()
  let older = new Map<string, number>()
  const of = (name: string) => younger.get(name) ?? older.get(name) ?? 0
  return {
    of,
    /** One more; answers how many that makes. */
    add(name: string): number {
      const count = of(name) + 1
      if (younger.size >= mostRemembered / 2) {
        older = younger
        younger = new Map()
      }
      younger.set(name, count)
      return count
    },
  }
}
