import type { Span } from '@atrium/core/scheduling/slots'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { BusyPeriod } from '@atrium/integrations/calendars/port'

/**
 * Free/busy of hosts, as their calendars tell it, with what is asked at once or again within
 * moments asked only once.
 */
export interface BusyTimes {
  /**
   * At most three seconds old: shared by a burst of visitors, and asked again when a date is
   * opened.
   */
  recent(host: HostRow, span: Span): Promise<readonly BusyPeriod[]>
  /** Read from the calendar after this call came. */
  fresh(host: HostRow, span: Span): Promise<readonly BusyPeriod[]>
  /** Lets go of what is known of the host: its calendar was written to. */
  forget(hostId: string): void
}

const keptMs = 3_000
const mostKept = 2_000
const dayMs = 86_400_000
type Reading = Promise<readonly BusyPeriod[]>

export function createBusyTimes(
  ask: (host: HostRow, span: Span) => Reading,
  now: () => number,
): BusyTimes {
  const kept = new Map<string, { hostId: string; at: number; reading: Reading }>()
  const running = new Map<string, Reading>()
  const waiting = new Map<string, Reading>()

  function start(key: string, host: HostRow, span: Span): Reading {
    const reading = ask(host, span).finally(() => running.delete(key))
    running.set(key, reading)
    return reading
  }
  return {
    recent(host, requested) {
      // Whole days, so that visitors who come a minute apart ask the same.
      const span = {
        start: Math.floor(requested.start / dayMs) * dayMs,
        end: Math.ceil(requested.end / dayMs) * dayMs,
      }
      const key = keyOf(host, span)
      const known = kept.get(key)
      if (known && now() - known.at < keptMs) return known.reading
      if (kept.size >= mostKept) kept.clear()
      const reading = ask(host, span)
      kept.set(key, { hostId: host.id, at: now(), reading })
      reading.catch(() => {
        if (kept.get(key)?.reading === reading) kept.delete(key)
      })
      return reading
    },
    fresh(host, span) {
      const key = keyOf(host, span)
      const next = waiting.get(key)
      if (next) return next
      const present = running.get(key)
      if (!present) return start(key, host, span)
      // The read under way may have started before this call; all callers that arrive meanwhile
      // share the next one.
      const queued = present
        .catch(() => {})
        .then(() => {
          waiting.delete(key)
          return start(key, host, span)
        })
      waiting.set(key, queued)
      return queued
    },
    forget(hostId) {
      for (const [key, entry] of kept) if (entry.hostId === hostId) kept.delete(key)
    },
  }
}

const keyOf = (host: HostRow, span: Span) => `${host.id} ${span.start} ${span.end}`
