/** A rejection in the words of Stripe's API. */
export class StripeFault extends Error {
  readonly status: number
  readonly body: StripeErrorBody

  constructor(status: number, body: StripeErrorBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

export interface StripeErrorBody {
  readonly type:
    | 'invalid_request_error'
    | 'card_error'
    | 'idempotency_error'
    | 'api_error'
    | 'rate_limit_error'
  readonly message: string
  readonly code?: string
  readonly param?: string
  readonly decline_code?: string
}

export function invalid(message: string, more: Partial<StripeErrorBody> = {}): StripeFault {
  return new StripeFault(400, { type: 'invalid_request_error', message, ...more })
}

export function missing(kind: string, id: string, param = 'id'): StripeFault {
  return new StripeFault(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  })
}

/** 402: the card's bank said no. */
export function declined(declineCode: string): StripeFault {
  const code =
    declineCode === 'authentication_required' || declineCode === 'expired_card'
      ? declineCode
      : 'card_declined'
  return new StripeFault(402, {
    type: 'card_error',
    code,
    decline_code: declineCode,
    message: 'Your card was declined.',
  })
}

/** The error envelope of Stripe for a status, for faults that the sandbox puts in the way. */
export function errorBody(status: number): StripeErrorBody {
  if (status === 429)
    return { type: 'rate_limit_error', code: 'rate_limit', message: 'Too many requests.' }
  if (status === 401) return { type: 'invalid_request_error', message: 'Invalid API Key provided.' }
  if (status === 402)
    return {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    }
  if (status < 500) return { type: 'invalid_request_error', message: 'The request was refused.' }
  return { type: 'api_error', message: 'An unknown error occurred.' }
}
