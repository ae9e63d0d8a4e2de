import type { Logger } from './log.ts'

/**
 * Work that goes on after its request was answered. A graceful stop waits for it; whatever is cut
 * off, the job engine finds again.
 */
export interface BackgroundWork {
  run(name: string, work: () => Promise<unknown>): void
  /**
   * Resolves when nothing is under way. Long work is told by `ending` to leave the rest to another
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
