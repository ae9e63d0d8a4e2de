import { createHash } from 'node:crypto'
import { AppError } from '@atrium/core/platform/errors'
import { type LimitName, limitReached, limits } from '@atrium/core/platform/limits'
import type { Database, Db, Trx } from '@atrium/db/platform/connect'
import {
  countTaken,
  findTenantLimit,
  highestTaken,
  takeInWindows,
  type WindowTake,
} from '@atrium/db/platform/rate-limits'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Logger } from '../platform/log.ts'
import { createWindowCounts } from '../platform/rate-limit.ts'
import type { RequestInfo } from './caller.ts'

/** One of what a limit counts. */
export interface Take {
  limit: LimitName
  /** Whom it is counted for: an address, a subject, the id of a tenant. */
  of: string
  /** One unless given. */
  amount?: number
  /** The tenant whose number applies, for a limit that is counted inside one but not per tenant. */
  tenantId?: string
}

/** What a limit per recipient is counted by: addresses of strangers are not kept as they are. */
export function ofRecipient(address: string): string {
  return createHash('sha256').update(address.toLowerCase()).digest('base64url')
}

type LimitHeaders = Pick<RequestInfo, 'responseHeaders'>

/**
 * Enforces what `@atrium/core/platform/limits` declares. All methods that take throw AppError
 * `rate_limited`, which says which limit was reached, when it ends and who can raise it, and set
 * `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds) for the limit that is nearest to its end.
 */
export interface Limits {
  /** The number of a limit in this installation. */
  most(limit: LimitName): number
  /**
   * Takes from these limits in one statement of its own. Counted for all processes together; each
   * process counts for itself while the database cannot count. A request that is rejected gives
   * back what it took from windows longer than a minute.
   */
  take(request: LimitHeaders, takes: readonly Take[]): Promise<void>
  /** Rejects whom `take` would reject, and takes nothing. */
  check(request: LimitHeaders, takes: readonly Take[]): Promise<void>
  /**
   * Takes in the transaction of what is counted: if that is rolled back, nothing was taken. Call it
   * last, because the counts stay locked until the transaction ends.
   */
  takeIn(trx: Trx, request: LimitHeaders | undefined, takes: readonly Take[]): Promise<void>
  /**
   * What is taken from each in its present window, and when that ends. Takes nothing, and fails
   * when the database cannot be read.
   */
  taken(of: readonly Take[]): Promise<{ limit: LimitName; taken: number; endsAt: Date }[]>
  /**
   * What the member or the host of a tenant who took most has taken of a limit in its present
   * window, and when that ends. Fails when the database cannot be read.
   */
  highestTaken(
    limit: LimitName,
    per: 'member' | 'host',
    tenantId: string,
  ): Promise<{ limit: LimitName; taken: number; endsAt: Date }>
  /**
   * Rejects one more of what there may be `most` of at one time, where `present` of them are there.
   * A number that an operator set for the tenant counts. Throws AppError `limit_reached`.
   */
  requireCapacity(
    db: Db | Trx,
    limit: LimitName,
    tenantId: string | undefined,
    present: number,
  ): Promise<void>
  /**
   * Holds one of what a person may have open at this process; call what is returned when it is
   * over, once or more often. A number that an operator set for the tenant counts. Throws AppError
   * `rate_limited`.
   */
  hold(limit: LimitName, of: string, tenantId: string | undefined): Promise<() => void>
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

export function createLimits(parts: {
  config: Pick<Config, 'limits'>
  database: Database
  clock: Clock
  log: Logger
}): Limits {
  const { config, database, clock, log } = parts
  const local = createWindowCounts()
  const open = new Map<string, number>()
  const numberOf = (limit: LimitName) => config.limits[limit] ?? limits[limit].most

  async function numberIn(
    db: Db | Trx,
    limit: LimitName,
    tenantId: string | undefined,
  ): Promise<number> {
    return (
      (tenantId === undefined ? undefined : await findTenantLimit(db, tenantId, limit)) ??
      numberOf(limit)
    )
  }

  /** The present window of a limit. */
  function windowOf(limit: LimitName): { start: Date; end: Date } {
    const { seconds } = limits[limit]
    if (seconds === null) throw new Error(`${limit} has no window to count in`)
    const start = Math.floor(clock.now().getTime() / (seconds * 1000)) * seconds * 1000
    return { start: new Date(start), end: new Date(start + seconds * 1000) }
  }

  function windowsOf(takes: readonly Take[]): Window[] {
    return merged(takes).map(({ limit, of, amount = 1, tenantId }) => {
      const inTenant = limits[limit].per === 'tenant' ? of : tenantId
      return {
        limit,
        amount,
        key: `${limit} ${of}`,
        ...windowOf(limit),
        ...(inTenant === undefined ? {} : { ofTenant: { tenantId: inTenant, limit } }),
      }
    })
  }

  function statesOf(
    windows: readonly Window[],
    counts: readonly { taken: number; mostForTenant: number | null }[],
  ): LimitState[] {
    return windows.map(({ limit, end }, index) => {
      const count = counts[index]
      const number = count?.mostForTenant ?? numberOf(limit)
      return { limit, most: number, left: number - (count?.taken ?? 0), endsAt: end }
    })
  }

  function judge(
    request: LimitHeaders | undefined,
    states: readonly LimitState[],
  ): AppError | undefined {
    const now = clock.now().getTime()
    if (request) tell(request, states, now)
    const [longest] = states
      .filter(({ left }) => left < 0)
      .sort((a, b) => b.endsAt.getTime() - a.endsAt.getTime())
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
      log.warn({ err }, 'failed to refund the rate limit of a rejected request')
      local.take(back)
    })
  }

  return {
    most: numberOf,
    async take(request, takes) {
      const windows = windowsOf(takes)
      // An unavailable database is no reason to admit everyone or to reject everyone.
      const counts = await takeInWindows(database.db, windows).catch((err: unknown) => {
        log.warn({ err }, 'failed to use the shared rate limit; counting in this process only')
        return takeLocally(windows)
      })
      const rejection = judge(request, statesOf(windows, counts))
      if (!rejection) return
      await giveBack(database.db, windows)
      throw rejection
    },
    async check(request, takes) {
      const windows = windowsOf(takes)
      const counts = await countTaken(database.db, windows).catch((err: unknown) => {
        log.warn({ err }, 'failed to use the shared rate limit; counting in this process only')
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
      const rejection = judge(request, statesOf(windows, await takeInWindows(trx, windows)))
      if (rejection) throw rejection
    },
    async taken(of) {
      const windows = windowsOf(of)
      const counts = await countTaken(database.db, windows)
      return windows.map(({ limit, end }, index) => ({
        limit,
        taken: counts[index] ?? 0,
        endsAt: end,
      }))
    },
    async highestTaken(limit, per, tenantId) {
      const { start, end } = windowOf(limit)
      return {
        limit,
        taken: await highestTaken(database.db, { tenantId, limit, per, start }),
        endsAt: end,
      }
    },
    async requireCapacity(db, limit, tenantId, present) {
      const most = await numberIn(db, limit, tenantId)
      if (present >= most)
        throw new AppError('limit_reached', limitReached(limit, most, null), { limit })
    },
    async hold(limit, of, tenantId) {
      const key = `${limit} ${of}`
      const most = await numberIn(database.db, limit, tenantId)
      // Nothing is awaited from here on, so that what is opened at the same time is counted.
      const count = open.get(key) ?? 0
      if (count >= most) {
        throw new AppError('rate_limited', limitReached(limit, most, null), {
          limit,
          retryAfterSeconds: retryOpenSeconds,
        })
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

/**
 * What is taken twice from one limit in one request is taken at once: a statement cannot change a
 * row two times.
 */
function merged(takes: readonly Take[]): Take[] {
  const sums = new Map<string, Take>()
  for (const { amount = 1, ...take } of takes) {
    const key = `${take.limit} ${take.of}`
    sums.set(key, { ...take, amount: (sums.get(key)?.amount ?? 0) + amount })
  }
  return [...sums.values()]
}

const withoutTenant = (counts: readonly number[]) =>
  counts.map((taken) => ({ taken, mostForTenant: null }))

const secondsUntil = (end: Date, now: number) =>
  Math.max(1, Math.ceil((end.getTime() - now) / 1000))

/**
 * A request may count several times; the response reports the limit that is closest to exhausted.
 */
function tell({ responseHeaders }: LimitHeaders, states: readonly LimitState[], now: number): void {
  for (const { most, left, endsAt } of states) {
    const reported = responseHeaders.get('ratelimit-remaining')
    const remaining = Math.max(0, left)
    if (reported !== undefined && Number(reported) <= remaining) continue
    responseHeaders.set('ratelimit-limit', String(most))
    responseHeaders.set('ratelimit-remaining', String(remaining))
    responseHeaders.set('ratelimit-reset', String(secondsUntil(endsAt, now)))
  }
}
