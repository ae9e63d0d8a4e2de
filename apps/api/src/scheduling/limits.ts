import { AppError } from '@atrium/core/errors'
import { type CountedWindow, countTaken, takeOne } from '@atrium/db/rate-limits'
import type { Context } from '../context.ts'
import { limitedAddress } from '../visitor-address.ts'

interface Allowance {
  most: number
  seconds: number
}

const minute = 60
const day = 86_400

/** What one address may ask for, per route, in fixed windows. docs/contract.md, scheduling, tells it. */
const allowances = {
  pages: [{ most: 120, seconds: minute }],
  slots: [{ most: 60, seconds: minute }],
  locks: [{ most: 20, seconds: minute }],
  bookings: [
    { most: 10, seconds: minute },
    { most: 50, seconds: day },
  ],
  manage_reads: [{ most: 60, seconds: minute }],
  manage_writes: [{ most: 10, seconds: minute }],
  /** Manage tokens that open nothing: whoever tries many is guessing. */
  manage_failures: [{ most: 10, seconds: 10 * minute }],
} as const satisfies Record<string, readonly Allowance[]>
export type LimitedRoute = keyof typeof allowances

/**
 * Takes one request of what the visitor's address may ask for on this route, counted in the database, so that all processes count
 * together; where it cannot count, each process does so for itself. Sets `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds) on the
 * answer, for the allowance that is nearest to its end. Throws AppError `rate_limited` with the seconds to wait.
 */
export async function takeAllowance(ctx: Pick<Context, 'house' | 'request'>, route: LimitedRoute): Promise<void> {
  if (takenAhead.get(ctx.request) === route) return void takenAhead.delete(ctx.request)
  const { database, localCounts } = ctx.house
  return limit(ctx, route, {
    shared: (windows) => takeOne(database.db, windows),
    local: (windows) => localCounts.takeOne(windows),
  })
}

/** Requests that have taken one from an allowance before their procedure asks for it. */
const takenAhead = new WeakMap<Context['request'], LimitedRoute>()

/** The same before the procedure runs: the next `takeAllowance` of this request on this route takes nothing. */
export async function takeAllowanceAhead(ctx: Pick<Context, 'house' | 'request'>, route: LimitedRoute): Promise<void> {
  await takeAllowance(ctx, route)
  takenAhead.set(ctx.request, route)
}

/** The same without taking one: refuses an address that has nothing left. */
export function checkAllowance(ctx: Pick<Context, 'house' | 'request'>, route: LimitedRoute): Promise<void> {
  const { database, localCounts } = ctx.house
  const withThisOne = (taken: readonly number[]) => taken.map((count) => count + 1)
  return limit(ctx, route, {
    shared: async (windows) => withThisOne(await countTaken(database.db, windows)),
    local: (windows) => withThisOne(localCounts.countTaken(windows)),
  })
}

interface Counting {
  /** Of all processes together. */
  shared: (windows: readonly CountedWindow[]) => Promise<number[]>
  /** Of this process alone. */
  local: (windows: readonly CountedWindow[]) => number[]
}

/** A database that cannot count is no reason to let everybody in, nor to shut everybody out: this process then counts for itself. */
async function counted({ log }: Context['house'], windows: readonly CountedWindow[], counting: Counting): Promise<number[]> {
  try {
    return await counting.shared(windows)
  } catch (err) {
    log.warn({ err }, 'requests could not be counted for all processes together; this one counts for itself')
    return counting.local(windows)
  }
}

async function limit({ house, request }: Pick<Context, 'house' | 'request'>, route: LimitedRoute, counting: Counting): Promise<void> {
  const address = limitedAddress({ house, request })
  const now = house.clock.now().getTime()
  const windows = allowances[route].map(({ seconds }) => {
    const start = Math.floor(now / (seconds * 1000)) * seconds * 1000
    return { key: `${route}/${seconds} ${address}`, start: new Date(start), end: new Date(start + seconds * 1000) }
  })
  const counts = await counted(house, windows, counting)
  const states = allowances[route].map(({ most }, index) => ({
    most,
    left: most - (counts[index] ?? 0),
    resetSeconds: Math.max(1, Math.ceil(((windows[index]?.end.getTime() ?? now) - now) / 1000)),
  }))
  const nearest = states.reduce((one, other) => (other.left < one.left ? other : one))
  request.answerHeaders.set('ratelimit-limit', String(nearest.most))
  request.answerHeaders.set('ratelimit-remaining', String(Math.max(0, nearest.left)))
  request.answerHeaders.set('ratelimit-reset', String(nearest.resetSeconds))
  const exceeded = states.filter(({ left }) => left < 0)
  if (exceeded.length === 0) return
  const retryAfterSeconds = Math.max(...exceeded.map(({ resetSeconds }) => resetSeconds))
  throw new AppError('rate_limited', undefined, { retryAfterSeconds })
}
