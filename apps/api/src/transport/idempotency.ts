import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@atrium/core/errors'
import { beginIdempotent, findIdempotent, finishIdempotent, releaseIdempotent, type StoredAnswer } from '@atrium/db/idempotency'
import type { Context } from '../context.ts'
import { limitedAddress } from '../visitor-address.ts'

const usableKey = /^[\x21-\x7e]{1,255}$/
const waitMs = 10_000
const lookAgainMs = 100

/**
 * Carries a request with an Idempotency-Key out at most once per caller (visitors: per address) and key: the same request again replays the stored answer
 * for 24 hours, also when both run at once; another body under the key is refused. Answers with a one-time secret are not stored,
 * and neither are failures of ours (5xx), which may be tried again.
 */
export async function onceOnly(
  ctx: Context,
  key: string,
  request: { method: string; path: string; body: string; secretAnswer: boolean; visitors: boolean },
  carryOut: () => Promise<Response>,
): Promise<Response> {
  if (!usableKey.test(key)) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'Idempotency-Key', message: 'Use 1 to 255 visible ASCII characters.' }],
    })
  }
  const { db } = ctx.house.database
  const subject = request.visitors ? `visitor:${limitedAddress(ctx)}` : (await ctx.readCaller()).subject
  // A manage link is part of what a visitor asks for: the same words about another booking are another request.
  const about = request.visitors ? (ctx.bearerToken() ?? '') : ''
  const requestHash = createHash('sha256')
    .update(`${request.method}\n${request.path}\n${request.body}${about && `\n${about}`}`)
    .digest('hex')
  const stored = await beginIdempotent(db, subject, key, requestHash)
  if (stored) {
    // Told at once: another request gains nothing from waiting for the first.
    if (stored.requestHash !== requestHash) throw new AppError('idempotency_mismatch')
    return replay(await settled(ctx, subject, key, stored), requestHash)
  }
  let response: Response
  try {
    response = await carryOut()
  } catch (error) {
    await releaseIdempotent(db, subject, key)
    throw error
  }
  // None of these carried anything out.
  if (response.status >= 500 || [401, 403, 429].includes(response.status)) {
    await releaseIdempotent(db, subject, key)
    return response
  }
  const withhold = request.secretAnswer && response.ok
  await finishIdempotent(db, subject, key, response.status, withhold ? null : await response.clone().text())
  return response
}

async function settled(ctx: Context, scope: string, key: string, first: StoredAnswer): Promise<StoredAnswer> {
  let stored: StoredAnswer | undefined = first
  const until = Date.now() + waitMs
  while (stored?.state === 'running' && Date.now() < until) {
    await delay(lookAgainMs, undefined, { signal: ctx.request.signal })
    stored = await findIdempotent(ctx.house.database.db, scope, key)
  }
  if (!stored || stored.state === 'running') throw new AppError('idempotency_in_progress')
  return stored
}

function replay(stored: StoredAnswer, requestHash: string): Response {
  if (stored.requestHash !== requestHash) throw new AppError('idempotency_mismatch')
  if (stored.state === 'withheld' || stored.status === null) throw new AppError('idempotency_answer_withheld')
  const body = stored.status === 204 ? null : stored.body
  return new Response(body, {
    status: stored.status,
    headers: {
      'content-type': stored.status >= 400 ? 'application/problem+json' : 'application/json',
      'idempotency-replayed': 'true',
    },
  })
}
