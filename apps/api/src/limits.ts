import { AppError } from '@atrium/core/errors'
import { type LimitName, limitReached, limits } from '@atrium/core/limits'
import type { Database, Db, Trx } from '@atrium/db/connect'
import { countTaken, findTenantLimit, takeInWindows, type WindowTake } from '@atrium/db/rate-limits'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { RequestFacts } from './context.ts'
import type { Logger } from './log.ts'
import { createWindowCounts } from './rate-limit.ts'

/** One of what a limit counts. */
export interface Take {
  limit: LimitName
  /** Whom it is counted for: an address, a subject, the id of a tenant. */
  of: string
  /** One unless given. */
  amount?: number
}

type Told = Pick<RequestFacts, 'answerHeaders'>

/**
 * Enforces what `@atrium/core/limits` declares. All methods that take throw AppError `rate_limited`, which says which limit was reached,
 * when it ends and who can raise it, and set `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds) for the limit that is nearest to its
 * end.
 */
export interface Limits {
  /** The number of a limit in this installation. */
  most(limit: LimitName): number
  /**
   * Takes from these limits in one statement of its own. Counted for all processes together; each process counts for itself while the
   * database cannot count. A request that is rejected gives back what it took from windows longer than a minute.
   */
  take(request: Told, takes: readonly Take[]): Promise<void>
  /** Rejects whom `take` would reject, and takes nothing. */
  check(request: Told, takes: readonly Take[]): Promise<void>
  /**
   * Takes in the transaction of what is counted: if that is rolled back, nothing was taken. Call it last, because the counts stay locked
   * until the transaction ends.
   */
  takeIn(trx: Trx, request: Told | undefined, takes: readonly Take[]): Promise<void>
  /**
   * Rejects one more of what there may be `most` of at one time, where `present` of them are there. A number that an operator set for the
   * tenant counts. Throws AppError `limit_reached`.
   */
  requireRoom(db: Db | Trx, limit: LimitName, tenantId: string | undefined, present: number): Promise<void>
  /**
   * Holds one of what a person may have open at this process; call what is returned when it is over, once or more often. Throws AppError
   * `rate_limited`.
   */
  hold(limit: LimitName, of: string): () => void
}

interface Window extends WindowTake {
  limit: LimitName
}

/** What is left of a limit in its present window. */
interface LimitState {
  limit: LimitName
  most: number
  left: number
  endsAt: Date
}

export function createLimits(parts: { config: Pick<Config, 'limits'>; database: Database; clock: Clock; log: Logger }): Limits {
  const { config, database, clock, log } = parts
  const local = createWindowCounts()
  const open = new Map<string, number>()
  const numberOf = (limit: LimitName) => config.limits[limit] ?? limits[limit].most

  function windowsOf(takes: readonly Take[]): Window[] {
    const now = clock.now().getTime()
    return merged(takes).map(({ limit, of, amount = 1 }) => {
      const { seconds, per } = limits[limit]
      if (seconds === null) throw new Error(`${limit} has no window to count in`)
      const start = Math.floor(now / (seconds * 1000)) * seconds * 1000
      return {
        ...{ limit, amount, key: `${limit} ${of}`, start: new Date(start), end: new Date(start + seconds * 1000) },
        ...(per === 'tenant' ? { ofTenant: { tenantId: of, limit } } : {}),
      }
    })
  }

  function statesOf(windows: readonly Window[], counts: readonly { taken: number; mostForTenant: number | null }[]): LimitState[] {
    return windows.map(({ limit, end }, index) => {
      const count = counts[index]
      const number = count?.mostForTenant ?? numberOf(limit)
      return { limit, most: number, left: number - (count?.taken ?? 0), endsAt: end }
    })
  }

  function judge(request: Told | undefined, states: readonly LimitState[]): AppError | undefined {
    const now = clock.now().getTime()
    if (request) tell(request, states, now)
    const [longest] = states.filter(({ left }) => left < 0).sort((a, b) => b.endsAt.getTime() - a.endsAt.getTime())
    if (!longest) return undefined
    return new AppError('rate_limited', limitReached(longest.limit, longest.most, longest.endsAt), {
      retryAfterSeconds: secondsUntil(longest.endsAt, now),
      limit: longest.limit,
    })
  }

  const takeLocally = (windows: readonly Window[]) => withoutTenant(local.take(windows))

  async function giveBack(db: Db, windows: readonly Window[]): Promise<void> {
    const back = windows
      .filter(({ start, end }) => end.getTime() - start.getTime() > minuteMs)
      .map((window) => ({ ...window, amount: -window.amount }))
    if (back.length === 0) return
    await takeInWindows(db, back).catch((err: unknown) => {
      log.warn({ err }, 'what a rejected request took from a limit could not be given back')
      local.take(back)
    })
  }

  return {
    most: numberOf,
    async take(request, takes) {
      const windows = windowsOf(takes)
      // A database that cannot count is no reason to let everybody in, nor to reject everybody.
      const counts = await takeInWindows(database.db, windows).catch((err: unknown) => {
        log.warn({ err }, 'requests could not be counted for all processes together; this one counts for itself')
        return takeLocally(windows)
      })
      const refusal = judge(request, statesOf(windows, counts))
      if (!refusal) return
      await giveBack(database.db, windows)
      throw refusal
    },
    async check(request, takes) {
      const windows = windowsOf(takes)
      const counts = await countTaken(database.db, windows).catch((err: unknown) => {
        log.warn({ err }, 'requests could not be counted for all processes together; this one counts for itself')
        return local.countTaken(windows)
      })
      const withThese = counts.map((count, index) => count + (windows[index]?.amount ?? 1))
      const states = statesOf(windows, withoutTenant(withThese))
      // Nothing is taken, so the headers are for what takes something later in this request.
      if (states.every(({ left }) => left >= 0)) return
      throw judge(request, states)
    },
    async takeIn(trx, request, takes) {
      const windows = windowsOf(takes)
      const refusal = judge(request, statesOf(windows, await takeInWindows(trx, windows)))
      if (refusal) throw refusal
    },
    async requireRoom(db, limit, tenantId, present) {
      const most = (tenantId !== undefined ? await findTenantLimit(db, tenantId, limit) : undefined) ?? numberOf(limit)
      if (present >= most) throw new AppError('limit_reached', limitReached(limit, most, null), { limit })
    },
    hold(limit, of) {
      const key = `${limit} ${of}`
      const count = open.get(key) ?? 0
      const most = numberOf(limit)
      if (count >= most) {
        throw new AppError('rate_limited', limitReached(limit, most, null), { limit, retryAfterSeconds: retryOpenSeconds })
      }
      open.set(key, count + 1)
      let over = false
      return () => {
        if (over) return
        over = true
        const left = (open.get(key) ?? 1) - 1
        if (left === 0) open.delete(key)
        else open.set(key, left)
      }
    },
  }
}

const minuteMs = 60_000
const retryOpenSeconds = 10

/** What is taken twice from one limit in one request is taken at once: a statement cannot change a row two times. */
function merged(takes: readonly Take[]): Take[] {
  const sums = new Map<string, Take>()
  for (const { limit, of, amount = 1 } of takes) {
    const known = sums.get(`${limit} ${of}`)
    sums.set(`${limit} ${of}`, { limit, of, amount: (known?.amount ?? 0) + amount })
  }
  return [...sums.values()]
}

const withoutTenant = (counts: readonly number[]) => counts.map((taken) => ({ taken, mostForTenant: null }))

const secondsUntil = (end: Date, now: number) => Math.max(1, Math.ceil((end.getTime() - now) / 1000))

/** A request may take several times; the caller is told of the limit that is nearest to its end. */
function tell({ answerHeaders }: Told, states: readonly LimitState[], now: number): void {
  for (const { most, left, endsAt } of states) {
    const told = answerHeaders.get('ratelimit-remaining')
    const remaining = Math.max(0, left)
    if (told !== undefined && Number(told) <= remaining) continue
    answerHeaders.set('ratelimit-limit', String(most))
    answerHeaders.set('ratelimit-remaining', String(remaining))
    answerHeaders.set('ratelimit-reset', String(secondsUntil(endsAt, now)))
  }
}
