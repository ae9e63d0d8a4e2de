import { AppError } from '@atrium/core/errors'
import type { Clock } from './clock.ts'

/** Limits what one caller takes of this process. */
export interface RateLimit {
  /** Throws AppError `rate_limited`, with the seconds to wait, when this caller has had its share of the present minute. */
  take(caller: string): void
}

const minuteMs = 60_000

export function createRateLimit({ perMinute, clock }: { perMinute: number; clock: Clock }): RateLimit {
  let minute = 0
  let taken = new Map<string, number>()
  return {
    take(caller) {
      const now = clock.now().getTime()
      const present = Math.floor(now / minuteMs)
      if (present !== minute) {
        minute = present
        taken = new Map()
      }
      const before = taken.get(caller) ?? 0
      if (before >= perMinute) {
        const retryAfterSeconds = Math.ceil(((present + 1) * minuteMs - now) / 1000)
        throw new AppError('rate_limited', `At most ${perMinute} of these requests a minute.`, { retryAfterSeconds })
      }
      taken.set(caller, before + 1)
    },
  }
}
