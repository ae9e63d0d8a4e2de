import Stripe from 'stripe'
import type { PaymentEvent } from './port.ts'

/** Seconds that a signature may be old, and that the clocks of two machines may differ. */
const toleranceSeconds = 300

export const webhookRejections = [
  'no_signature',
  'no_secret',
  'bad_signature',
  'too_old',
  'in_the_future',
  'not_json',
  'thin_event',
  'no_event',
  'not_storable',
] as const
export type WebhookRejection = (typeof webhookRejections)[number]

const sentences: Readonly<Record<WebhookRejection, string>> = {
  no_signature: 'The request carries no signature.',
  no_secret: 'No secret is configured to check the signature with.',
  bad_signature: 'The signature does not belong to this body.',
  too_old: 'The signature is older than five minutes.',
  in_the_future: 'The signature is from more than five minutes in the future.',
  not_json: 'The body is not JSON.',
  thin_event:
    'The event names an object without showing it; the endpoint must send snapshot events.',
  no_event: 'The body is no event.',
  not_storable: 'The event holds characters or nesting that cannot be stored.',
}

/**
 * A webhook that is not taken. `message` and `reason` may be logged: they quote nothing of the
 * request.
 */
export class WebhookRejected extends Error {
  override readonly name = 'WebhookRefused'
  readonly reason: WebhookRejection

  constructor(reason: WebhookRejection) {
    super(sentences[reason])
    this.reason = reason
  }
}

/**
 * Checks a webhook's signature over the body as it came, with each secret in turn, and its age
 * against `now`, both ways: the SDK alone takes timestamps of the future. Throws `WebhookRejected`.
 * The object in the event may be old by the time it arrives.
 */
export function verifyWebhook(
  rawBody: string | Buffer,
  header: string | undefined,
  secrets: readonly string[],
  now: Date,
): PaymentEvent {
  if (header === undefined || header.trim() === '') throw new WebhookRejected('no_signature')
  const usable = secrets.filter((secret) => secret.trim() !== '')
  if (usable.length === 0) throw new WebhookRejected('no_secret')
  const body = typeof rawBody === 'string' ? rawBody : textOf(rawBody)
  if (body === undefined) throw new WebhookRejected('bad_signature')
  const signedAt = timestampOf(header)
  if (signedAt === undefined) throw new WebhookRejected('bad_signature')
  if (!usable.some((secret) => signs(secret, body, header, signedAt)))
    throw new WebhookRejected('bad_signature')
  const age = Math.floor(now.getTime() / 1000) - signedAt
  if (age > toleranceSeconds) throw new WebhookRejected('too_old')
  if (age < -toleranceSeconds) throw new WebhookRejected('in_the_future')
  return paymentEventOf(parsed(body))
}

/**
 * The bytes as text, one to one: a signature of one text fits no other bytes. A decoder that drops
 * a byte order mark or repairs broken UTF-8 would map several bodies to one text. Undefined for
 * invalid UTF-8, which is never signed.
 */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Verified as of the time it names, to distinguish an authentic but old event from a forged one.
 */
function signs(secret: string, body: string, header: string, signedAt: number): boolean {
  try {
    return (
      Stripe.webhooks.signature?.verifyHeader(
        body,
        header,
        secret,
        toleranceSeconds,
        undefined,
        signedAt * 1000,
      ) ?? false
    )
  } catch {
    return false
  }
}

/**
 * The one timestamp of the header. With two of them the SDK signs one and an old event could wear
 * the other as its age.
 */
function timestampOf(header: string): number | undefined {
  const [first, ...more] = header.split(',').filter((part) => /^\s*t\s*=/.test(part))
  const digits = /^t=(\d{1,12})$/.exec(first ?? '')?.[1]
  return digits === undefined || more.length > 0 ? undefined : Number(digits)
}

/** Checks an event as the processor shows it. Throws `WebhookRejected`. */
export function paymentEventOf(payload: Readonly<Record<string, unknown>>): PaymentEvent {
  if (payload.object === 'v2.core.event') throw new WebhookRejected('thin_event')
  const { id, type, created, livemode, api_version: apiVersion } = payload
  const data = plainObject(payload.data)
  if (payload.object !== 'event' || !isName(id) || !isName(type) || !isTime(created) || !data)
    throw new WebhookRejected('no_event')
  if (!isStorable(payload, 0)) throw new WebhookRejected('not_storable')
  const object = plainObject(data.object)
  return {
    id,
    type,
    apiVersion: typeof apiVersion === 'string' ? apiVersion : null,
    created: new Date(created * 1000),
    livemode: livemode === true,
    objectType: typeof object?.object === 'string' ? object.object : null,
    objectId: typeof object?.id === 'string' ? object.id : null,
    payload,
  }
}

/** Ids and types are short; a longer text would not fit an index. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 255
}

/** Seconds since 1970, up to the year 9999. */
function isTime(value: unknown): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 253_402_300_799
  )
}

/** Deeper than any object of the processor's. */
const deepest = 64

/**
 * False for what PostgreSQL's jsonb does not take: a NUL or half a surrogate pair in any text, and
 * very deep nesting.
 */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return (
    depth < deepest &&
    Object.entries(value).every(
      ([key, inner]) => isStorable(key, depth) && isStorable(inner, depth + 1),
    )
  )
}

function parsed(body: string): Record<string, unknown> {
  try {
    const object = plainObject(JSON.parse(body))
    if (object) return object
  } catch {
    throw new WebhookRejected('not_json')
  }
  throw new WebhookRejected('no_event')
}

function plainObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined
}
