import { AsyncLocalStorage } from 'node:async_hooks'
import type { UpstreamErrorKind } from '../upstream-error.ts'

/** A response that the SDK must not see: it would treat it as a success or crash the process. */
export class UnusableResponse extends Error {
  override readonly name = 'UnusableResponse'
  readonly kind: UpstreamErrorKind
  readonly status: number
  readonly note: string | undefined

  constructor(kind: UpstreamErrorKind, status: number, note?: string) {
    super(note ?? kind)
    this.kind = kind
    this.status = status
    this.note = note
  }
}

export interface Transport {
  fetch: typeof globalThis.fetch
  /** Runs work whose requests end with the signal; the SDK has no place to hand one over. */
  under<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/**
 * `fetch` for the Stripe SDK: redirects are not followed, responses are bounded in size, and only
 * JSON objects pass. The SDK treats a rejection without `error` as a success, and causes an
 * unhandled rejection when the response is no object.
 */
export function transport(send: typeof globalThis.fetch, maxResponseBytes: number): Transport {
  const signals = new AsyncLocalStorage<AbortSignal>()
  return {
    under: (signal, work) => signals.run(signal, work),
    fetch: async (input, init) => {
      const ends = [signals.getStore(), init?.signal].filter(
        (signal) => signal instanceof AbortSignal,
      )
      const response = await send(input, {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.any(ends),
      })
      const { status } = response
      if (status < 400 && status !== 200) {
        response.body?.cancel().catch(() => undefined)
        throw new UnusableResponse(
          'invalid_answer',
          status,
          status >= 300 ? 'it redirects to another address' : undefined,
        )
      }
      const text = await boundedText(response, maxResponseBytes)
      if (!usable(status, text)) throw rejected(status)
      return new Response(text, { status, headers: plainHeaders(response.headers) })
    },
  }
}

async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) break
    chunks.push(chunk)
  }
  if (size > maxBytes)
    throw new UnusableResponse(
      'invalid_answer',
      response.status,
      `it is larger than ${maxBytes} bytes`,
    )
  return Buffer.concat(chunks).toString('utf8')
}

/** An object of JSON; for a rejection one that says `error`. */
function usable(status: number, text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
    const rejection = 'error' in body && typeof body.error === 'object' && body.error !== null
    return status === 200 ? !('error' in body) : rejection
  } catch {
    return false
  }
}

function rejected(status: number): UnusableResponse {
  if (status === 200)
    return new UnusableResponse('invalid_answer', status, 'it is not a JSON object')
  if (status === 404)
    return new UnusableResponse(
      'invalid_answer',
      status,
      'there is no such API at the configured address',
    )
  if (status === 401 || status === 403) return new UnusableResponse('unauthorized', status)
  if (status === 429) return new UnusableResponse('rate_limited', status)
  return new UnusableResponse(status >= 500 ? 'server' : 'refused', status)
}

/** The body is decoded already, so its encoding and length no longer hold. */
function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers)
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) plain.delete(name)
  return plain
}
