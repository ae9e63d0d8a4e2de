import { z } from 'zod'
import type { CallOptions } from './call-options.ts'
import {
  type CallPolicyOptions,
  callPolicy,
  type Operation,
  type RequestRule,
} from './call-policy.ts'
import type { UpstreamErrorKind, UpstreamSystem } from './upstream-error.ts'

export interface HttpClientOptions extends CallPolicyOptions {
  /** Address of the system: http or https, may have a path, no credentials, query or fragment. */
  baseUrl: string
  fetch?: typeof globalThis.fetch | undefined
  /** Sent with every request: where it comes from, for the system's own traces. */
  callHeaders?: (() => Record<string, string>) | undefined
  /** Largest response that is read, in bytes after decompression. */
  maxResponseBytes?: number | undefined
}

export interface UpstreamResponse {
  status: number
  /** Undefined for 204, and for a rejection whose body is no JSON. */
  json: unknown
}

export interface HttpRequest<T> extends RequestRule {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base address, without a leading slash, its parts encoded. */
  path: string
  /** A list repeats its name. */
  query?: Record<string, string | readonly string[]> | undefined
  headers?: Record<string, string> | undefined
  body?: unknown
  /**
   * Statuses that `read` understands. Every other one is a failure by the usual meaning of its
   * number.
   */
  accept: readonly number[]
  /**
   * True when 404 means that the object is gone. Otherwise 404 means that we are talking to the
   * wrong address.
   */
  addressesObject?: boolean | undefined
  maxResponseBytes?: number | undefined
  /**
   * Converts the response to our types. A `ZodError` means that the response has another shape than
   * expected.
   */
  read: (response: UpstreamResponse) => T
}

export interface HttpClient {
  operation<T>(
    call: string,
    options: CallOptions | undefined,
    run: (operation: Operation) => Promise<T>,
  ): Promise<T>
  send<T>(operation: Operation, request: HttpRequest<T>): Promise<T>
}

/** The `Authorization` header of a name and a password (RFC 7617). */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/**
 * A client for one system's JSON API: one base address, one credential, no redirects, responses
 * bounded in size and time. Throws when the address or the credential is unusable.
 */
export function httpClient(
  system: UpstreamSystem,
  /** Null for a system that asks for none. */
  authorization: string | null,
  options: HttpClientOptions,
): HttpClient {
  const base = baseAddress(system, options.baseUrl)
  const { fetch = globalThis.fetch, callHeaders, maxResponseBytes = 5_000_000 } = options
  // fetch quotes a header value that it rejects, credential and all.
  if (authorization !== null && !/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(authorization))
    throw new Error(`The ${system} credential holds characters that no header can carry.`)
  const policy = callPolicy(system, options)

  async function exchange<T>(operation: Operation, request: HttpRequest<T>, signal: AbortSignal) {
    const url = new URL(request.path, base)
    for (const [name, value] of Object.entries(request.query ?? {})) {
      for (const one of typeof value === 'string' ? [value] : value)
        url.searchParams.append(name, one)
    }
    const headers = {
      accept: 'application/json',
      'user-agent': 'atrium',
      ...(authorization !== null && { authorization }),
      ...callHeaders?.(),
      ...request.headers,
    }
    const sent: RequestInit =
      request.body === undefined
        ? { headers }
        : {
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(request.body),
          }
    const response = await fetch(url, {
      ...sent,
      method: request.method,
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      throw operation.fail('connection', { note: connectionNote(error) })
    })
    const { status } = response
    const understood = request.accept.includes(status)
    const absent = status === 404 && (understood || request.addressesObject === true)
    if (!understood && !absent) {
      response.body?.cancel().catch(() => undefined)
      throw operation.fail(...failureOf(response))
    }
    const json = await readJson(operation, response, request.maxResponseBytes ?? maxResponseBytes)
    // These APIs say "absent" in JSON. A page that says so comes from a proxy that knows nothing
    // about the object.
    if (absent && json === undefined) throw operation.fail(...wrongAddress)
    if (!understood) throw operation.fail('not_found', { status })
    try {
      return { status, value: request.read({ status, json }) }
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error
      throw operation.fail('invalid_answer', { status, note: shapeNote(error) })
    }
  }

  return {
    operation: policy.operation,
    send: (operation, request) =>
      operation.request(request, (signal) => exchange(operation, request, signal)),
  }
}

/** A reader for responses of exactly one shape. */
export function shaped<S extends z.ZodType>(
  schema: S,
): (response: UpstreamResponse) => z.output<S> {
  return ({ json }) => schema.parse(json)
}

function baseAddress(system: UpstreamSystem, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    !url ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username ||
    url.password ||
    url.search ||
    url.hash
  ) {
    throw new Error(
      `The ${system} address must be http or https, without credentials, query or fragment.`,
    )
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

async function readJson(
  operation: Operation,
  response: Response,
  maxBytes: number,
): Promise<unknown> {
  const { status } = response
  const answered = status >= 200 && status < 300
  if (status === 204) {
    response.body?.cancel().catch(() => undefined)
    return undefined
  }
  const type = response.headers.get('content-type') ?? ''
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    response.body?.cancel().catch(() => undefined)
    if (answered) throw operation.fail('invalid_answer', { status, note: 'it is not JSON' })
    return undefined
  }
  const bytes = await readBytes(operation, response, maxBytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    if (answered) throw operation.fail('invalid_answer', { status, note: 'it is broken JSON' })
    return undefined
  }
}

async function readBytes(
  operation: Operation,
  response: Response,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength
      if (size > maxBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw operation.fail('connection', { status: response.status, note: connectionNote(error) })
  }
  if (size > maxBytes)
    throw operation.fail('invalid_answer', {
      status: response.status,
      note: `it is larger than ${maxBytes} bytes`,
    })
  return Buffer.concat(chunks)
}

type Failure = Parameters<Operation['fail']>

const wrongAddress: Failure = [
  'invalid_answer',
  { status: 404, note: 'there is no such API at the configured address' },
]

function failureOf({ status, headers, type }: Response): Failure {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return ['invalid_answer', { status, note: 'it redirects to another address' }]
  if (status === 404) return wrongAddress
  return [kindOf(status), { status, retryAfterMs: retryAfterMs(headers.get('retry-after')) }]
}

function kindOf(status: number): UpstreamErrorKind {
  if (status < 300) return 'invalid_answer'
  if (status === 401 || status === 402 || status === 403 || status === 407) return 'unauthorized'
  if (status === 410) return 'not_found'
  // authentik's page for internal errors only knows GET: a write that broke, such as one of two
  // that set the same name, is answered with the status of a wrong method.
  if (status === 405) return 'server'
  if (status === 408) return 'timeout'
  if (status === 409) return 'conflict'
  if (status === 429) return 'rate_limited'
  return status < 500 ? 'refused' : 'server'
}

/** `Retry-After` in either form, RFC 9110 section 10.2.3. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

const connectionNotes: Record<string, string> = {
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name does not resolve at the moment',
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped midway',
  UND_ERR_CONNECT_TIMEOUT: 'nothing answers at its address',
  UND_ERR_HEADERS_TIMEOUT: 'it did not respond in time',
  ETIMEDOUT: 'nothing answers at its address',
  EPIPE: 'the connection broke',
  Z_DATA_ERROR: 'the answer could not be unpacked',
  Z_BUF_ERROR: 'the answer could not be unpacked',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

/**
 * The reason in our words, from the codes along the chain of causes; undefined for codes without
 * words. The codes of libraries are never shown, and messages of transports quote addresses and
 * headers.
 */
function connectionNote(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const first = at instanceof AggregateError && at.errors.length > 0 ? at.errors[0] : at
    const code =
      typeof first === 'object' && first !== null && 'code' in first ? first.code : undefined
    if (typeof code === 'string' && Object.hasOwn(connectionNotes, code))
      return connectionNotes[code]
  }
  return undefined
}

/**
 * The path where the shape differs. Contains only names from our schemas: positions and our own
 * field names are no secrets.
 */
function shapeNote(error: z.ZodError): string {
  const path = error.issues[0]?.path ?? []
  const safe = path.every(
    (part) =>
      typeof part === 'number' ||
      (typeof part === 'string' && /^[a-zA-Z@][a-zA-Z_]{0,40}$/.test(part)),
  )
  return path.length > 0 && safe
    ? `"${path.join('.')}" is missing or of another kind`
    : 'it has another shape'
}
