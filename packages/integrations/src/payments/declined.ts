import { ownValue } from '@atrium/core/platform/own-value'
/**
 * A card that its bank, or the processor, did not charge. `message` is a sentence for the person
 * who pays. `code` is the processor's word (docs.stripe.com/declines/codes), for the record; words
 * that we do not know are kept.
 */
export class PaymentDeclined extends Error {
  override readonly name = 'PaymentDeclined'
  readonly code: string
  /** The bank wants the person to confirm the payment; the same card works once that is done. */
  readonly needsConfirmation: boolean

  constructor(code: string | undefined) {
    const known = plainCode(code)
    super(
      ownValue(sentences, known) ?? 'The card was declined. Use another card, or ask your bank.',
    )
    this.code = known
    this.needsConfirmation = confirmations.has(known)
  }
}

/** The customer's address is missing or too incomplete for the processor to compute tax. */
export class TaxLocationInvalid extends Error {
  override readonly name = 'TaxLocationInvalid'

  constructor() {
    super('The billing address is incomplete, so tax cannot be computed.')
  }
}

/** A valid response that says no; not a failure of the processor. */
export type Rejection = PaymentDeclined | TaxLocationInvalid

export function isRejection(value: unknown): value is Rejection {
  return value instanceof PaymentDeclined || value instanceof TaxLocationInvalid
}

const confirmations: ReadonlySet<string> = new Set([
  'authentication_required',
  'invoice_payment_intent_requires_action',
])

/**
 * Banks may report a card as stolen or suspect fraud. The cardholder only learns that the card was
 * declined.
 */
const sentences: Readonly<Record<string, string>> = {
  no_payment_method: 'There is no card to charge. Add one first.',
  insufficient_funds: 'The card was declined because the account has not enough money.',
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: 'The security code of the card is wrong.',
  invalid_cvc: 'The security code of the card is wrong.',
  incorrect_number: 'The card number is wrong.',
  invalid_number: 'The card number is wrong.',
  invalid_expiry_month: 'The month in which the card expires is wrong.',
  invalid_expiry_year: 'The year in which the card expires is wrong.',
  incorrect_zip: 'The postal code does not belong to the card.',
  card_not_supported: 'The card does not allow this kind of payment. Use another card.',
  currency_not_supported: 'The card does not allow this currency. Use another card.',
  card_velocity_exceeded: 'The card was declined because its limit is reached.',
  withdrawal_count_limit_exceeded: 'The card was declined because its limit is reached.',
  processing_error: 'The card could not be charged just now. Try again in a few minutes.',
  try_again_later: 'The card could not be charged just now. Try again in a few minutes.',
  issuer_not_available:
    'The bank of the card cannot be reached just now. Try again in a few minutes.',
  authentication_required: 'The bank wants you to confirm this payment.',
  invoice_payment_intent_requires_action: 'The bank wants you to confirm this payment.',
}

/**
 * A code is a word of the processor's own list; anything else is text from outside that goes
 * nowhere.
 */
function plainCode(code: string | undefined): string {
  return code !== undefined && /^[a-z][a-z0-9_]{2,60}$/.test(code) ? code : 'generic_decline'
}
