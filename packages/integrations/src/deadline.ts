/** The reason of a signal that one of our own deadlines ended. */
export class Elapsed extends Error {
  override readonly name = 'Elapsed'
  readonly ms: number

  constructor(ms: number) {
    super(`${ms} ms have passed`)
    this.ms = ms
  }
}

export interface Deadline {
  readonly signal: AbortSignal
  /** Stops the timer and lets go of the parent. */
  clear(): void
}

/**
 * A signal that ends after `ms`, with `Elapsed` as its reason, or with the parent, for the parent's
 * reason.
 */
export function deadline(ms: number, parent: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Elapsed(ms)), ms)
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', follow)
    },
  }
}

/**
 * The promise, or a rejection with the signal's reason as soon as it ends: not everything that is
 * awaited listens to signals.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const end = () => aborted.reject(signal.reason)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return Promise.race([aborted.promise, promise]).finally(() =>
    signal.removeEventListener('abort', end),
  )
}
