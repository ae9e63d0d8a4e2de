import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

/** What is wrong with the time at which a form was made. */
export type SealFault = 'too_fast' | 'too_old' | 'forged'

const leastMs = 2_000
const mostMs = 24 * 60 * 60_000

/**
 * Signs when a form was made, and for which page, so that a program cannot send forms it never
 * asked for.
 */
export function sealForm(secret: string, page: string, now: number): string {
  return `${now.toString(36)}.${signature(secret, page, now)}`
}

/** Undefined for a form that was made for this page between two seconds and a day ago. */
export function sealFault(
  secret: string,
  page: string,
  seal: string,
  now: number,
): SealFault | undefined {
  const [stamp = '', provided = ''] = seal.split('.')
  const made = /^[0-9a-z]{1,10}$/.test(stamp) ? Number.parseInt(stamp, 36) : Number.NaN
  if (Number.isNaN(made)) return 'forged'
  const [one, other] = [Buffer.from(provided), Buffer.from(signature(secret, page, made))]
  if (one.length !== other.length || !timingSafeEqual(one, other)) return 'forged'
  if (now - made > mostMs) return 'too_old'
  return now - made < leastMs ? 'too_fast' : undefined
}

/**
 * The Idempotency-Key of a form: the same one whenever the form for the same hold is opened, so
 * that going back and sending it again finds the booking that it made. Without a hold each form is
 * a request of its own.
 */
export function formKey(
  secret: string,
  page: string,
  { start, lock }: { start: string; lock: string | undefined },
): string {
  if (!lock) return randomUUID()
  return createHmac('sha256', secret)
    .update(`booking-key:${page}:${start}:${lock}`)
    .digest('base64url')
}

function signature(secret: string, page: string, made: number): string {
  return createHmac('sha256', secret).update(`booking-form:${page}:${made}`).digest('base64url')
}
