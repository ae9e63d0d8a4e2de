import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  type IBackoff,
  type IBackoffFactory,
  type IRetryBackoffContext,
  retry,
} from 'cockatiel'
import type { CallOptions } from './call-options.ts'
import { deadline, Elapsed, untilAborted } from './deadline.ts'
import {
  isTransient,
  UpstreamError,
  type UpstreamErrorKind,
  type UpstreamFailureDetail,
  type UpstreamSystem,
} from './upstream-error.ts'

/**
 * One request that was sent, or was held back by the open circuit. For logs and metrics; holds no
 * secret and no id.
 */
export interface CallReport {
  system: UpstreamSystem
  /** The operation, such as `ensureGroup`. */
  call: string
  /** The request within it, such as `GET /core/groups/`. */
  request: string
  status: number | undefined
  ms: number
  /** 1 for the first try. */
  attempt: number
  outcome: 'ok' | 'aborted' | UpstreamErrorKind
}

export interface CallPolicyOptions {
  /** For one attempt, the response body included. */
  deadlineMs?: number | undefined
  /** For one operation with all its requests, tries and waits. */
  operationDeadlineMs?: number | undefined
  /** Further tries of a repeatable request. */
  retries?: number | undefined
  backoffMs?: { initial: number; max: number } | undefined
  /** Requests in flight; more wait their turn. */
  concurrency?: number | undefined
  /**
   * Opens after `failures` transient failures in a row, lets one request through after `openMs`.
   */
  circuit?: { failures: number; openMs: number } | undefined
  /** Called after each try. Must not throw. */
  onCall?: ((report: CallReport) => void) | undefined
  /** Called when the circuit opens, and when it closes again. Must not throw. */
  onCircuit?: ((system: UpstreamSystem, open: boolean) => void) | undefined
}

/** Sends one request and reads its response. */
export type Send<T> = (signal: AbortSignal) => Promise<{ status: number | undefined; value: T }>

export interface RequestRule {
  /** Names the request in reports: method and path template, no ids. */
  label: string
  /** True when a second run changes nothing that the first did not. Others are never repeated. */
  repeatable: boolean
}

/** One call of a port method, as its client sees it. */
export interface Operation {
  /** The failure of this operation, ready to throw. */
  fail(kind: UpstreamErrorKind, detail?: UpstreamFailureDetail): UpstreamError
  /** One request under deadline, circuit and, when repeatable, retries. */
  request<T>(rule: RequestRule, send: Send<T>): Promise<T>
  /**
   * Repeats several requests that are repeatable only together, such as look-up then create.
   * Requests inside say `repeatable: false`.
   */
  repeat<T>(steps: () => Promise<T>): Promise<T>
}

export interface CallPolicy {
  /**
   * Runs one port method. Rejects with `UpstreamError`, or with the reason of the caller's signal.
   */
  operation<T>(
    call: string,
    options: CallOptions | undefined,
    run: (operation: Operation) => Promise<T>,
  ): Promise<T>
}

const waiting = 1000
const longestWaitMs = 5_000

/**
 * The rules that every request of one client keeps: a deadline per try and per operation, bounded
 * retries of what is repeatable, with jitter and `Retry-After`, a limit of requests in flight and a
 * circuit breaker. One per client, because the circuit is the memory of one system's health.
 */
export function callPolicy(system: UpstreamSystem, options: CallPolicyOptions): CallPolicy {
  const {
    deadlineMs = 5_000,
    operationDeadlineMs = 15_000,
    retries = 2,
    concurrency = 32,
    onCall,
  } = options
  const { initial, max } = options.backoffMs ?? { initial: 100, max: 2_000 }
  const { failures, openMs } = options.circuit ?? { failures: 5, openMs: 10_000 }
  const failuresInARow = new ConsecutiveBreaker(failures)
  const circuit: CircuitBreakerPolicy = circuitBreaker(
    // A request that its caller gave up proves nothing, so it must not close a circuit that is
    // being tried.
    handleWhen(
      (error) =>
        isTransient(error) ||
        (circuit.state === CircuitState.HalfOpen && !(error instanceof UpstreamError)),
    ),
    { breaker: failuresInARow, halfOpenAfter: openMs },
  )
  if (options.onCircuit) {
    const { onCircuit } = options
    circuit.onBreak(() => onCircuit(system, true))
    circuit.onReset(() => onCircuit(system, false))
  }
  const gate = bulkhead(concurrency, waiting)
  const again = retry(
    handleWhen(
      (error) =>
        isTransient(error) &&
        circuit.state !== CircuitState.Open &&
        (error.retryAfterMs ?? 0) <= longestWaitMs,
    ),
    {
      maxAttempts: retries,
      backoff: afterRetryAfter(new ExponentialBackoff({ initialDelay: initial, maxDelay: max })),
    },
  )

  async function operation<T>(
    call: string,
    callOptions: CallOptions | undefined,
    run: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    const whole = deadline(operationDeadlineMs, callOptions?.signal)
    const fail: Operation['fail'] = (kind, detail) =>
      new UpstreamError({ system, call, kind, ...detail })
    const report = (
      request: string,
      attempt: number,
      started: number,
      outcome: CallReport['outcome'],
      status?: number | undefined,
    ) =>
      onCall?.({ system, call, request, status, ms: performance.now() - started, attempt, outcome })

    /**
     * What to throw once a signal has ended: our deadlines and timeouts of the caller are failures,
     * all else is the caller's wish.
     */
    function ended(reason: unknown): unknown {
      if (reason instanceof Elapsed) return fail('timeout', { deadlineMs: reason.ms })
      return reason instanceof DOMException && reason.name === 'TimeoutError'
        ? fail('timeout')
        : reason
    }

    async function attempt<R>(label: string, number: number, send: Send<R>): Promise<R> {
      const started = performance.now()
      const own = deadline(deadlineMs, whole.signal)
      try {
        const { status, value } = await untilAborted(send(own.signal), own.signal)
        report(label, number, started, 'ok', status)
        return value
      } catch (error) {
        const failure = own.signal.aborted ? ended(own.signal.reason) : error
        // A rejection is a response: the system is available.
        if (failure instanceof UpstreamError && !isTransient(failure)) failuresInARow.success()
        if (failure instanceof UpstreamError)
          report(label, number, started, failure.kind, failure.status)
        else report(label, number, started, 'aborted')
        throw failure
      } finally {
        own.clear()
      }
    }

    async function guarded<R>(label: string, number: number, send: Send<R>): Promise<R> {
      try {
        return await gate.execute(() => {
          // After waiting for a slot or a retry, the caller may be gone.
          whole.signal.throwIfAborted()
          return circuit.execute(() => attempt(label, number, send))
        })
      } catch (error) {
        if (error instanceof BulkheadRejectedError)
          throw fail('rate_limited', { note: 'too many of our own requests are waiting' })
        if (!(error instanceof BrokenCircuitError)) throw error
        report(label, number, performance.now(), 'circuit_open')
        throw fail('circuit_open')
      }
    }

    const context: Operation = {
      fail,
      request: ({ label, repeatable }, send) =>
        repeatable
          ? again.execute(({ attempt: before }) => guarded(label, before + 1, send))
          : guarded(label, 1, send),
      repeat: (steps) => again.execute(steps),
    }

    try {
      whole.signal.throwIfAborted()
      return await untilAborted(run(context), whole.signal)
    } catch (error) {
      throw whole.signal.aborted && !(error instanceof UpstreamError)
        ? ended(whole.signal.reason)
        : error
    } finally {
      whole.clear()
    }
  }

  return { operation }
}

/** The exponential step, with its jitter, on top of what the response asked for. */
function afterRetryAfter(
  steps: IBackoffFactory<unknown>,
): IBackoffFactory<IRetryBackoffContext<unknown>> {
  const wait = (
    step: IBackoff<unknown>,
    { result }: IRetryBackoffContext<unknown>,
  ): IBackoff<IRetryBackoffContext<unknown>> => ({
    duration:
      step.duration +
      ('error' in result && result.error instanceof UpstreamError
        ? (result.error.retryAfterMs ?? 0)
        : 0),
    next: (context) => wait(step.next(context), context),
  })
  return { next: (context) => wait(steps.next(context), context) }
}
