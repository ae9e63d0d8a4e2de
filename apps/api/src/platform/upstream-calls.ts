import type { OutsideSystem } from '@atrium/core/system/system'
import type { Db } from '@atrium/db/platform/connect'
import { addUpstreamDays, type UpstreamDay } from '@atrium/db/system/upstream-days'
import type { CallReport } from '@atrium/integrations/call-policy'
import {
  UpstreamError,
  type UpstreamErrorKind,
  type UpstreamSystem,
} from '@atrium/integrations/upstream-error'

/** How many days of calls are kept and shown. */
export const keptUpstreamDays = 90

/**
 * Counts every call to the upstream systems by day. Holds what is not saved yet; the counts
 * themselves are in the database.
 */
export interface UpstreamCalls {
  /** Counts one try; for `onCall` of the integrations. Runs no statement. */
  observe(report: Pick<CallReport, 'system' | 'call' | 'status' | 'outcome'>): void
  /**
   * Adds what was counted since the last time to the database. Counts that could not be saved are
   * kept for the next time.
   */
  save(db: Db): Promise<void>
}

/** Null: its failures are on record where they matter, with each VAT number. */
const nameOf: Readonly<Record<UpstreamSystem, OutsideSystem | null>> = {
  identity: 'identity',
  mail: 'mail',
  files: 'files',
  smtp: 'mailer',
  payments: 'payments',
  vies: null,
}

/** Rejections and conflicts are responses of a working system; an open circuit sends nothing. */
const failures: ReadonlySet<CallReport['outcome']> = new Set<UpstreamErrorKind>([
  'timeout',
  'connection',
  'unauthorized',
  'rate_limited',
  'server',
  'invalid_answer',
])

export function createUpstreamCalls(now: () => Date = () => new Date()): UpstreamCalls {
  let counted = new Map<string, UpstreamDay>()

  function add(count: UpstreamDay): void {
    const key = `${count.system} ${count.day}`
    const known = counted.get(key)
    if (!known) {
      counted.set(key, { ...count })
      return
    }
    known.calls += count.calls
    known.failures += count.failures
    if (count.lastFailedAt && (!known.lastFailedAt || count.lastFailedAt >= known.lastFailedAt)) {
      known.lastFailedAt = count.lastFailedAt
      known.lastFailure = count.lastFailure
    }
  }

  return {
    observe({ system, call, status, outcome }) {
      const name = nameOf[system]
      if (name === null || outcome === 'aborted' || outcome === 'circuit_open') return
      const at = now()
      const failed = failures.has(outcome)
      const message = failed
        ? new UpstreamError({ system, call, status, kind: outcome as UpstreamErrorKind }).message
        : null
      add({
        system: name,
        day: at.toISOString().slice(0, 10),
        calls: 1,
        failures: failed ? 1 : 0,
        lastFailedAt: failed ? at : null,
        lastFailure: message,
      })
    },
    async save(db) {
      const days = [...counted.values()]
      counted = new Map()
      try {
        await addUpstreamDays(db, days)
      } catch (error) {
        for (const day of days) add(day)
        throw error
      }
    },
  }
}

/** The first day (UTC) that is kept at `now`. */
export function upstreamDaysBefore(now: Date): string {
  return new Date(now.getTime() - keptUpstreamDays * 86_400_000).toISOString().slice(0, 10)
}
