import { createHash } from 'node:crypto'
import { clearInterval, setInterval } from 'node:timers'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@atrium/core/platform/errors'
import { DecryptionError } from '@atrium/db/platform/encryption'
import {
  beginIdempotent,
  extendIdempotent,
  findIdempotent,
  finishIdempotent,
  type IdempotentRequest,
  type IdempotentRun,
  idempotencyLeaseSeconds,
  releaseIdempotent,
} from '@atrium/db/platform/idempotency'
import type { Context } from '../rpc/context.ts'
import { assertUsableKey } from '../rpc/idempotency-key.ts'
import type { Services } from '../rpc/services.ts'
import { limitedAddress } from '../rpc/visitor-address.ts'
import { type LimitedRoute, takeAllowanceAhead } from '../rpc/visitor-limits.ts'

const waitMs = 10_000
const pollIntervalMs = 100
/** Larger bodies are not stored, so that no caller fills the database with responses. */
const mostStoredBytes = 32 * 1024

interface KeyedRequest {
  method: string
  path: string
  body: string
  secretResponse: boolean
  /**
   * The allowance of visitors, taken before anything is stored; undefined for calls with a session.
   */
  visitors: LimitedRoute | undefined
  /**
   * When the response was not stored, the procedure is called again and returns its first result.
   */
  repeatable: boolean
}

/**
 * Runs a request with an Idempotency-Key at most once per caller (visitors: per address) and key.
 * The same request replays the stored response for 24 hours, also when both run at the same time;
 * another request under the key is rejected. Successes (2xx) and conflicts (409) are stored,
 * encrypted; every other rejection had no effect and frees the key. Of a response with a one-time
 * secret or of more than 32 KiB, only the fact is stored. Throws AppError `invalid_input`,
 * `idempotency_mismatch`, `idempotency_in_progress`, `idempotency_answer_withheld`, and for
 * visitors `rate_limited`.
 */
export async function onceOnly(
  ctx: Context,
  key: string,
  request: KeyedRequest,
  carryOut: () => Promise<Response>,
): Promise<Response> {
  assertUsableKey(key)
  const { services } = ctx
  if (request.visitors) await takeAllowanceAhead(ctx, request.visitors)
  const scope = request.visitors
    ? `visitor:${limitedAddress(ctx)}`
    : (await ctx.readCaller()).subject
  const claimed = await claim(ctx, { scope, key, requestHash: hashOf(ctx, request) })
  if ('state' in claimed) {
    if (request.repeatable && isWithheld(claimed)) return marked(await carryOut())
    return replay(services, { scope, key }, claimed)
  }
  const { db } = services.database
  const stopExtending = keepLease(services, claimed)
  try {
    const response = await carryOut()
    if (!response.ok && response.status !== 409) {
      await releaseIdempotent(db, claimed)
      return response
    }
    const body = request.secretResponse && response.ok ? undefined : await response.clone().text()
    await finishIdempotent(db, claimed, {
      status: response.status,
      sealed: seal(services, claimed, body),
    })
    return response
  } catch (error) {
    await releaseIdempotent(db, claimed)
    throw error
  } finally {
    stopExtending()
  }
}

/** What makes two requests the same. */
function hashOf(ctx: Context, { method, path, body, visitors }: KeyedRequest): string {
  // A manage link is part of what a visitor asks for: the same words about another booking are
  // another request.
  const about = visitors ? (ctx.bearerToken() ?? '') : ''
  return createHash('sha256')
    .update(`${method}\n${path}\n${body}${about && `\n${about}`}`)
    .digest('hex')
}

/**
 * Claims the key, or waits for the request that holds it and returns what is known of its response.
 */
async function claim(
  ctx: Context,
  requested: { scope: string; key: string; requestHash: string },
): Promise<IdempotentRun | IdempotentRequest> {
  const { db } = ctx.services.database
  for (const until = Date.now() + waitMs; ; ) {
    const run = await beginIdempotent(db, requested)
    if (run) return run
    let held = await findIdempotent(db, requested.scope, requested.key)
    while (held?.state === 'running' && held.requestHash === requested.requestHash) {
      if (Date.now() >= until) throw new AppError('idempotency_in_progress')
      await delay(pollIntervalMs, undefined, { signal: ctx.request.signal })
      held = await findIdempotent(db, requested.scope, requested.key)
    }
    // Rejected immediately: another request gains nothing from waiting.
    if (held && held.requestHash !== requested.requestHash)
      throw new AppError('idempotency_mismatch')
    if (held?.state === 'done') return held
    // Freed or abandoned meanwhile: one of those who wait takes it.
  }
}

/**
 * Extends the lease of a request for as long as it is carried out. Returns the function that ends
 * this.
 */
function keepLease({ database, log }: Services, run: IdempotentRun): () => void {
  const beat = setInterval(
    () => {
      extendIdempotent(database.db, run).catch((err: unknown) =>
        log.warn({ err }, 'failed to extend the lease of an idempotent request'),
      )
    },
    (idempotencyLeaseSeconds * 1000) / 3,
  ).unref()
  return () => clearInterval(beat)
}

/** The context that binds a stored response to its row; see `Keyring`. */
const sealedContext = ({ scope, key }: { scope: string; key: string }) =>
  `idempotency_keys.sealed:${scope}\n${key}`

/** Null when the response is not stored. Without encryption keys none is. */
function seal({ config }: Services, run: IdempotentRun, body: string | undefined): Buffer | null {
  if (!config.keyring || body === undefined || Buffer.byteLength(body) > mostStoredBytes)
    return null
  return config.keyring.encrypt(body, sealedContext(run))
}

function isWithheld({ status, sealed, body }: IdempotentRequest): boolean {
  return status !== null && status < 300 && sealed === null && body === null
}

function marked(response: Response): Response {
  response.headers.set('idempotency-replayed', 'true')
  return response
}

function replay(
  services: Services,
  place: { scope: string; key: string },
  { status, sealed, body }: IdempotentRequest,
): Response {
  const kept = sealed ? open(services, place, sealed) : body
  if (status === null || kept === null) throw new AppError('idempotency_answer_withheld')
  return new Response(status === 204 ? null : kept, {
    status,
    headers: {
      'content-type': status >= 400 ? 'application/problem+json' : 'application/json',
      'idempotency-replayed': 'true',
    },
  })
}

/** Null when its key is no longer listed. */
function open(
  { config, log }: Services,
  place: { scope: string; key: string },
  sealed: Buffer,
): string | null {
  try {
    return config.keyring?.decrypt(sealed, sealedContext(place)) ?? null
  } catch (err) {
    if (!(err instanceof DecryptionError)) throw err
    log.warn({ err }, 'stored response cannot be decrypted with the listed keys')
    return null
  }
}
