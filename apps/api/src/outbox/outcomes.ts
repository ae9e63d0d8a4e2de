import type { EndedTry } from '@atrium/db/outbox/outbox'

/**
 * Returns whether it was saved: not so where another process took the mail over meanwhile. Rejects
 * as the database does.
 */
export type SaveOutcome = (ended: EndedTry) => Promise<boolean>

/**
 * Runs one statement at a time: an outcome is saved immediately, and those that arrive while a
 * statement is under way share the next one. `save` returns the ids of the mails whose outcome was
 * written.
 */
export function createOutcomeSaver(
  save: (tries: readonly EndedTry[]) => Promise<ReadonlySet<string>>,
): SaveOutcome {
  let waiting: EndedTry[] = []
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<ReadonlySet<string>> | undefined
  return async (ended) => {
    waiting.push(ended)
    next ??= last.then(() => {
      const tries = waiting
      waiting = []
      next = undefined
      const saved = save(tries)
      last = saved.catch(() => {})
      return saved
    })
    return (await next).has(ended.mail.id)
  }
}
