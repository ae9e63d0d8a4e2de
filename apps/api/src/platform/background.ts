import type { Logger } from './log.ts'

/**
 * Work that continues after its request was answered. A graceful stop waits for it; the job engine
 * finds whatever is cut off.
 */
export interface BackgroundWork {
  run(name: string, work: () => Promise<unknown>): void
  /**
   * Resolves when nothing is under way. `ending` tells long work to leave the rest to another
   * process.
   */
  settled(): Promise<void>
  readonly ending: boolean
}

export function createBackgroundWork(log: Logger): BackgroundWork {
  const running = new Set<Promise<void>>()
  let ending = false
  return {
    run(name, work) {
      const task = work()
        .then(
          () => undefined,
          (err: unknown) => log.error({ err, work: name }, 'background work failed'),
        )
        .finally(() => running.delete(task))
      running.add(task)
    },
    get ending() {
      return ending
    },
    async settled() {
      ending = true
      while (running.size > 0) await Promise.all(running)
    },
  }
}
