/** Lets work of the same key follow one another in this process, in the order in which it came. */
export interface KeyedLimiter {
  /**
   * `atOnce` may be under way at the same time, one unless said otherwise; the same for every call
   * of a key.
   */
  take<T>(key: string, work: () => Promise<T>, atOnce?: number): Promise<T>
  /** How many wait for their turn. */
  waiting(key: string): number
}

interface Places {
  taken: number
  waiting: (() => void)[]
}

/**
 * Waiting here costs nothing. Waiting for a lock in the database holds a connection, and there are
 * few: many requests for the same thing would block everyone else's access to the database.
 */
export function createKeyedLimiter(): KeyedLimiter {
  const keys = new Map<string, Places>()
  return {
    waiting: (key) => keys.get(key)?.waiting.length ?? 0,
    async take(key, work, atOnce = 1) {
      const places = keys.get(key) ?? { taken: 0, waiting: [] }
      keys.set(key, places)
      if (places.taken < atOnce) places.taken += 1
      // Passes the freed slot to the first waiter.
      else await new Promise<void>((go) => places.waiting.push(go))
      try {
        return await work()
      } finally {
        const next = places.waiting.shift()
        if (next) next()
        else {
          places.taken -= 1
          if (places.taken === 0) keys.delete(key)
        }
      }
    },
  }
}
