import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@atrium/core/platform/errors'
import {
  beginIdempotent,
  findIdempotent,
  finishIdempotent,
  type IdempotentRun,
  releaseIdempotent,
} from '@atrium/db/platform/idempotency'
import { type BookingRow, findBookingOfRequest } from '@atrium/db/scheduling/bookings'
import type { Context } from '../../rpc/context.ts'
import { idempotencyKeyOf } from '../../rpc/idempotency-key.ts'
import type { Services } from '../../rpc/services.ts'

/** A request to book that can be repeated: who sent it under which key, and what it asks for. */
export interface BookingRequest {
  /** Whose keys these are: a visitor's address or a person. */
  scope: string
  key: string
  /** SHA-256 of sender, key and wish; kept with the booking that the request makes. */
  hash: Buffer
}

const waitMs = 10_000
const pollIntervalMs = 100

/**
 * The request of a call with an Idempotency-Key; undefined without one. The key alone proves
 * nothing: a request is the same one only from the same sender with the same wish.
 */
export function bookingRequestOf(
  { request }: Context,
  sender: string,
  form: unknown,
): BookingRequest | undefined {
  const key = idempotencyKeyOf(request)
  if (key === undefined) return undefined
  const hash = createHash('sha256')
    .update([sender, key, JSON.stringify(form)].join('\n'))
    .digest()
  return { scope: `booking:${sender}`, key, hash }
}

/** The booking that the request made earlier, if it did. */
export function madeByRequest(
  services: Services,
  request: BookingRequest | undefined,
): Promise<BookingRow | undefined> {
  return request
    ? findBookingOfRequest(services.database.db, request.hash)
    : Promise.resolve(undefined)
}

/**
 * Runs `make` once per request, on every wire and in all processes: the same request again returns
 * the booking that the first one made, while it runs (waits up to ten seconds) and afterwards. A
 * failure frees the key. Throws AppError `idempotency_mismatch` where the key was used for another
 * wish, `idempotency_in_progress`.
 */
export async function onceForRequest<Made>(
  { services, request: { signal } }: Context,
  request: BookingRequest | undefined,
  make: () => Promise<Made>,
): Promise<{ made: Made } | { earlier: BookingRow }> {
  if (!request) return { made: await make() }
  const { db } = services.database
  const { scope, key, hash } = request
  const requested = { scope, key, requestHash: hash.toString('hex') }
  for (const until = Date.now() + waitMs; ; ) {
    const earlier = await madeByRequest(services, request)
    if (earlier) return { earlier }
    const run = await beginIdempotent(db, requested)
    if (run) return makeUnder(services, request, run, make)
    const held = await findIdempotent(db, scope, key)
    if (held && held.requestHash !== requested.requestHash)
      throw new AppError('idempotency_mismatch')
    if (Date.now() > until) throw new AppError('idempotency_in_progress')
    await delay(pollIntervalMs, undefined, { signal })
  }
}

/**
 * Runs `make` while it holds the key. Its lease may lapse meanwhile: then another process may try
 * too, and the database rejects the second booking of one request.
 */
async function makeUnder<Made>(
  services: Services,
  request: BookingRequest,
  run: IdempotentRun,
  make: () => Promise<Made>,
): Promise<{ made: Made } | { earlier: BookingRow }> {
  const { db } = services.database
  let made: Made
  try {
    made = await make()
  } catch (error) {
    // The commit may have succeeded although its response was lost.
    const earlier = await madeByRequest(services, request)
    if (earlier) return { earlier }
    await releaseIdempotent(db, run)
    throw error
  }
  await finishIdempotent(db, run, { status: 201, sealed: null })
  return { made }
}
