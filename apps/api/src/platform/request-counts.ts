import type { Database } from '@atrium/db/platform/connect'
import { addRequestCounts, type RequestCount } from '@atrium/db/platform/request-counts'
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'

/** Number of requests for each tenant and minute, and how many of them failed on our side. */
export interface RequestCounts {
  start(): void
  /** Counts one call; costs no statement. */
  count(tenantId: string, failed: boolean): void
  /** Adds what was counted to the database. */
  save(): Promise<void>
  stop(): Promise<void>
}

const saveEveryMs = 10_000
/**
 * Beyond so many tenants and minutes that could not be saved, the counts are given up: they are not
 * worth the memory.
 */
const mostKept = 100_000
const minuteMs = 60_000

export function createRequestCounts(parts: {
  database: Pick<Database, 'db'>
  clock: Clock
  log: Logger
}): RequestCounts {
  const { database, clock, log } = parts
  let kept: RequestCount[] = []
  let current = new Map<string, RequestCount>()
  let currentMinute = 0
  let saving: NodeJS.Timeout | undefined

  function close(): void {
    kept.push(...current.values())
    current = new Map()
  }

  async function save(): Promise<void> {
    close()
    const counts = kept
    kept = []
    try {
      await addRequestCounts(database.db, joined(counts))
    } catch (error) {
      if (counts.length <= mostKept) kept.push(...counts)
      throw error
    }
  }

  const saveOrWarn = () =>
    save().catch((err: unknown) => log.warn({ err }, 'failed to save request counts'))
  return {
    start() {
      saving = setInterval(() => void saveOrWarn(), saveEveryMs)
      saving.unref()
    },
    count(tenantId, failed) {
      const now = clock.now().getTime()
      const minute = now - (now % minuteMs)
      if (minute !== currentMinute) {
        close()
        currentMinute = minute
      }
      let found = current.get(tenantId)
      if (!found) {
        found = { tenantId, minute: new Date(minute), requests: 0, failures: 0 }
        current.set(tenantId, found)
      }
      found.requests++
      if (failed) found.failures++
    },
    save,
    async stop() {
      clearInterval(saving)
      await saveOrWarn()
    },
  }
}

/** One count per tenant and minute, as the database wants it. */
function joined(counts: readonly RequestCount[]): RequestCount[] {
  const byKey = new Map<string, RequestCount>()
  for (const count of counts) {
    const key = `${count.tenantId} ${count.minute.getTime()}`
    const before = byKey.get(key)
    byKey.set(
      key,
      before
        ? {
            ...before,
            requests: before.requests + count.requests,
            failures: before.failures + count.failures,
          }
        : { ...count },
    )
  }
  return [...byKey.values()]
}
