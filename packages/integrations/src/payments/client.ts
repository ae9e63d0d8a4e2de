import Stripe from 'stripe'
import type { CallOptions } from '../call-options.ts'
import { type CallPolicyOptions, callPolicy, type Operation } from '../call-policy.ts'
import { isTransient, UpstreamError } from '../upstream-error.ts'
import { isRejection, type Rejection } from './declined.ts'
import { failureOf } from './failures.ts'
import { Misshapen } from './shapes.ts'
import { type Transport, transport } from './transport.ts'

export interface StripeOptions extends CallPolicyOptions {
  secretKey: string
  /**
   * Another address than Stripe's own: http or https, without path. For the local workplace and
   * tests.
   */
  apiUrl?: string | undefined
  fetch?: typeof globalThis.fetch | undefined
  /** Largest response that is read, in bytes after decompression. */
  maxResponseBytes?: number | undefined
}

/** One call of a port method: the SDK, and how each request of it is sent. */
export interface Call {
  /**
   * One request of the SDK, read into our words. Repeated when it fails in passing: every request
   * is a read or a write that carries an idempotency key. Rejects with `UpstreamError` or
   * `PaymentDeclined`.
   */
  send<T, V>(
    label: string,
    request: (stripe: Stripe) => Promise<T>,
    read: (response: T) => V,
  ): Promise<V>
  /** The same for an object that may be absent: undefined then. */
  find<T, V>(
    label: string,
    request: (stripe: Stripe) => Promise<T>,
    read: (response: T) => V,
  ): Promise<V | undefined>
}

export interface StripeCalls {
  call<T>(
    name: string,
    options: CallOptions | undefined,
    run: (call: Call) => Promise<T>,
  ): Promise<T>
}

/**
 * The SDK under our call policy: our deadlines, retries and circuit instead of its own, no
 * telemetry, its own pinned API version. It is constructed at the first call, because it throws
 * without a key and a test app without keys must start. Throws for an unusable address.
 */
export function stripeCalls(options: StripeOptions): StripeCalls {
  const { secretKey, apiUrl, fetch = globalThis.fetch, maxResponseBytes = 5_000_000 } = options
  const { deadlineMs = 15_000, operationDeadlineMs = 40_000, ...limits } = options
  const policy = callPolicy('payments', { ...limits, deadlineMs, operationDeadlineMs })
  const address = apiUrl === undefined ? {} : addressOf(apiUrl)
  const wire = transport(fetch, maxResponseBytes)
  let made: Stripe | undefined
  const stripe = () => {
    made ??= new Stripe(secretKey, {
      ...address,
      apiVersion: Stripe.API_VERSION,
      httpClient: Stripe.createFetchHttpClient(wire.fetch),
      maxNetworkRetries: 0,
      telemetry: false,
      // Our own deadline is shorter and gives the better error. This one only stops calls whose
      // caller is gone.
      timeout: deadlineMs + 1_000,
    })
    return made
  }
  return {
    call: (name, callOptions, run) =>
      policy.operation(name, callOptions, async (operation) => {
        try {
          return await run(callWith(operation, wire, stripe))
        } catch (error) {
          // Lists are read when all their pages are there.
          throw error instanceof Misshapen || error instanceof TypeError
            ? failureOf(operation, error)
            : error
        }
      }),
  }
}

function callWith(operation: Operation, wire: Transport, stripe: () => Stripe): Call {
  /**
   * A rejection is a valid response, not a failure of the processor: the circuit must count it as a
   * success.
   */
  async function response<T, V>(
    label: string,
    request: (stripe: Stripe) => Promise<T>,
    read: (response: T) => V,
  ): Promise<V | Rejection> {
    return operation.request<V | Rejection>({ label, repeatable: true }, async (signal) => {
      try {
        return { status: 200, value: read(await wire.under(signal, () => request(stripe()))) }
      } catch (error) {
        if (signal.aborted && !(error instanceof UpstreamError)) throw signal.reason
        const failure = failureOf(operation, error)
        if (isRejection(failure)) return { status: 402, value: failure }
        throw failure
      }
    })
  }
  async function send<T, V>(
    label: string,
    request: (stripe: Stripe) => Promise<T>,
    read: (response: T) => V,
  ): Promise<V> {
    const value = await response(label, request, read)
    if (isRejection(value)) throw value
    return value
  }
  return {
    send,
    async find<T, V>(
      label: string,
      request: (stripe: Stripe) => Promise<T>,
      read: (response: T) => V,
    ): Promise<V | undefined> {
      try {
        return await send(label, request, read)
      } catch (error) {
        if (error instanceof UpstreamError && error.kind === 'not_found' && !isTransient(error))
          return undefined
        throw error
      }
    },
  }
}

function addressOf(text: string): { host: string; port: number; protocol: 'http' | 'https' } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const protocol =
    url?.protocol === 'http:' ? 'http' : url?.protocol === 'https:' ? 'https' : undefined
  if (
    !url ||
    !protocol ||
    url.username ||
    url.password ||
    url.search ||
    url.hash ||
    url.pathname !== '/'
  ) {
    throw new Error(
      'The payments address must be http or https, without path, credentials, query or fragment.',
    )
  }
  return {
    host: url.hostname,
    port: Number(url.port || (protocol === 'http' ? 80 : 443)),
    protocol,
  }
}
