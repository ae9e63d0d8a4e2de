import Stripe from 'stripe'
import type { Operation } from '../call-policy.ts'
import { UpstreamError, type UpstreamErrorKind } from '../upstream-error.ts'
import { isRejection, PaymentDeclined, type Rejection, TaxLocationInvalid } from './declined.ts'
import { Misshapen } from './shapes.ts'
import { UnusableResponse } from './transport.ts'

/**
 * What a person can do about a rejection, by the processor's own code
 * (docs.stripe.com/error-codes). Its messages quote what we sent.
 */
const notes: Readonly<Record<string, string>> = {
  idempotency_error: 'the same request was made before with other values',
  idempotency_key_in_use: 'the same request is being carried out',
  lock_timeout: 'another request is changing the same object',
  resource_missing: 'the object does not exist there',
  parameter_unknown: 'it does not know one of our parameters',
  parameter_missing: 'it misses one of our parameters',
  parameter_invalid_integer: 'one of our numbers is outside of what it takes',
  parameter_invalid_empty: 'one of our values must not be empty',
  amount_too_small: 'the amount is too small to be charged',
  amount_too_large: 'the amount is too large to be charged',
  customer_max_subscriptions: 'the customer has too many subscriptions',
  invoice_not_editable: 'the invoice cannot be changed any more',
  livemode_mismatch: 'the object belongs to the other mode, live or test',
  payment_method_customer_decline: 'the payment method belongs to another customer',
  resource_already_exists: 'there is one of that name already',
  stripe_tax_inactive: 'Stripe Tax is not activated there',
  taxes_calculation_failed: 'it could not compute the tax',
  charge_already_refunded: 'the payment was given back already',
  charge_disputed: 'the payment is disputed, and a dispute is not refunded',
  tax_id_invalid: 'the VAT number does not have the form of its country',
}

/** Codes of an address for which tax cannot be computed. */
const locationFaults: ReadonlySet<string> = new Set([
  'customer_tax_location_invalid',
  'invalid_tax_location',
])

/** Codes with which a 404 says what there is none of. */
const absences: ReadonlySet<string> = new Set(['invoice_upcoming_none', 'resource_missing'])
const conflicts: ReadonlySet<string> = new Set(['idempotency_error', 'resource_already_exists'])
/** Rejections that pass by themselves, although their status says otherwise. */
const passing: ReadonlySet<string> = new Set([
  'idempotency_key_in_use',
  'lock_timeout',
  'rate_limit',
])

/**
 * The failure of a call to the SDK in our words. A declined card is `PaymentDeclined`, an unusable
 * address `TaxLocationInvalid`; anything that is not known to be the processor's doing comes out as
 * `invalid_answer`, without its text.
 */
export function failureOf(operation: Operation, error: unknown): UpstreamError | Rejection {
  if (error instanceof UpstreamError || isRejection(error)) return error
  if (error instanceof Misshapen)
    return operation.fail('invalid_answer', { status: 200, note: error.message })
  if (!(error instanceof Stripe.errors.StripeError)) return operation.fail('invalid_answer')
  if (error instanceof Stripe.errors.StripeConnectionError)
    return connectionFailure(operation, error)
  if (error instanceof Stripe.errors.StripeCardError)
    return new PaymentDeclined(error.decline_code ?? error.code)
  const { statusCode: status, code, rawType } = error
  if (code !== undefined && locationFaults.has(code)) return new TaxLocationInvalid()
  if (code === 'invoice_payment_intent_requires_action') return new PaymentDeclined(code)
  // An object that we name and that is gone is a 404 or comes with the parameter that names it;
  // what is missing without is the card.
  if (status === 400 && code === 'resource_missing' && !error.param)
    return new PaymentDeclined('no_payment_method')
  const word = code ?? rawType ?? ''
  return operation.fail(kindOf(status ?? 0, word), {
    status,
    note: notes[word],
    retryAfterMs: retryAfterMs(error.headers?.['retry-after']),
  })
}

function connectionFailure(
  operation: Operation,
  error: InstanceType<typeof Stripe.errors.StripeConnectionError>,
): UpstreamError {
  for (
    let at: unknown = error.detail, depth = 0;
    at instanceof Error && depth < 6;
    at = causeOf(at), depth += 1
  ) {
    if (at instanceof UnusableResponse)
      return operation.fail(at.kind, { status: at.status, note: at.note })
    const code = codeOf(at)
    if (code === 'ETIMEDOUT') return operation.fail('timeout')
    if (code !== undefined && code in connectionNotes)
      return operation.fail('connection', { note: connectionNotes[code] })
  }
  return operation.fail('connection')
}

const connectionNotes: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name does not resolve at the moment',
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
}

/** The SDK keeps the failure of a body under `exception`, that of a request under `cause`. */
function causeOf(error: Error): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0]
  return 'exception' in error ? error.exception : error.cause
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function kindOf(status: number, code: string): UpstreamErrorKind {
  if (passing.has(code)) return 'rate_limited'
  if (conflicts.has(code) || status === 409) return 'conflict'
  // A 404 that does not say what is missing comes from an address at which there is no such API.
  if (status === 404) return absences.has(code) ? 'not_found' : 'invalid_answer'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'server'
  return status >= 400 ? 'refused' : 'invalid_answer'
}

function retryAfterMs(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined
}
