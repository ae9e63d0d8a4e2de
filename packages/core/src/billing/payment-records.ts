// What the payment processor reports, and the database keeps as it is. Amounts are whole numbers of
// the currency's minor unit; currencies are lower-cased ISO 4217.

export interface PaymentCard {
  paymentMethodId: string
  brand: string
  /** The brand as the customer may choose it on a card with two networks. */
  displayBrand: string | null
  last4: string
  expMonth: number
  expYear: number
  funding: string
  country: string | null
  wallet: string | null
}

/**
 * One movement of the balance that the processor keeps for us, in the currency in which it settles.
 * `net` = `amount` - `fee`; all signed.
 */
export interface BalanceTransaction {
  id: string
  /** The processor's words, such as `charge`, and `dispute` as the category of an `adjustment`. */
  type: string
  category: string
  currency: string
  amount: number
  fee: number
  net: number
  /** From the currency of the source to `currency`; null where they are the same. */
  exchangeRate: number | null
  createdAt: Date
  availableAt: Date
  sourceId: string | null
  /** The payment that the source belongs to, and what the source says of its own amount. */
  paymentIntentId: string | null
  sourceCurrency: string | null
  /** Without a sign. */
  sourceAmount: number | null
}
