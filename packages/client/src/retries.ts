/** How often and for how long a request is retried. */
export interface RetryOptions {
  /** Requests after the first; 3 by default, 0 switches retries off. */
  retries?: number
  /**
   * The longest pause that the client accepts, in milliseconds; 30,000 by default. When the server
   * asks for a longer one in `Retry-After`, its response is returned at once.
   */
  maxDelayMs?: number
}

const firstDelayMs = 250
/** The server did not carry the request out, so that any method can be sent again. */
const notCarriedOut = new Set([429])
const temporary = new Set([502, 503, 504])
/** Methods that mean the same when they are sent twice (RFC 9110, section 9.2.2). */
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/**
 * Returns a `fetch` that sends a request again after a failed connection, a temporary failure, a
 * limit, or while the same request is still running. Methods that are not idempotent are repeated
 * only with an `Idempotency-Key`, or when the server did not carry them out. The pauses double,
 * with jitter, unless the server names one in `Retry-After`.
 */
export function fetchWithRetries(
  send: (request: Request) => Promise<Response>,
  { retries = 3, maxDelayMs = 30_000 }: RetryOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await send(request.clone()).catch((error: unknown) => new Failure(error))
      const pause =
        attempt < retries && (await canRepeat(request, outcome))
          ? pauseBefore(outcome, attempt, maxDelayMs)
          : undefined
      if (pause === undefined) {
        if (outcome instanceof Failure) throw outcome.error
        return outcome
      }
      if (outcome instanceof Response) await outcome.body?.cancel()
      await wait(pause, request.signal)
    }
  }
}

/** A request without a response. */
class Failure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

async function canRepeat(request: Request, outcome: Response | Failure): Promise<boolean> {
  if (request.signal.aborted) return false
  const repeatable = idempotentMethods.has(request.method) || request.headers.has('idempotency-key')
  if (outcome instanceof Failure) return repeatable
  if (notCarriedOut.has(outcome.status)) return true
  if (!repeatable) return false
  return temporary.has(outcome.status) || (await isStillRunning(outcome))
}

/** Another request with the same key is being carried out; its response will be stored. */
async function isStillRunning(response: Response): Promise<boolean> {
  if (response.status !== 409) return false
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return (problem as { code?: unknown } | undefined)?.code === 'idempotency_in_progress'
}

/** Milliseconds; undefined when the server asks for more than the client accepts. */
function pauseBefore(
  outcome: Response | Failure,
  attempt: number,
  maxDelayMs: number,
): number | undefined {
  const named =
    outcome instanceof Failure ? undefined : readRetryAfter(outcome.headers.get('retry-after'))
  if (named !== undefined) return named <= maxDelayMs ? named : undefined
  const longest = Math.min(firstDelayMs * 2 ** attempt, maxDelayMs)
  return longest / 2 + Math.random() * (longest / 2)
}

/** Milliseconds of a `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Throws the reason of the signal when the caller aborts. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    const stop = () => {
      clearTimeout(timer)
      failed(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      done()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
