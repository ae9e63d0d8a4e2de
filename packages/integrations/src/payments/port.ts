import type { BalanceTransaction, PaymentCard } from '@atrium/core/billing/payment-records'
import type { TaxabilityReason, TaxBehavior } from '@atrium/core/billing/taxes'
import type { CallOptions } from '../call-options.ts'

/**
 * Amounts are whole numbers of the currency's minor unit; currencies are lower-cased ISO 4217;
 * times are `Date`.
 */
export interface PaymentCustomer {
  id: string
  email: string | null
  /** The card that invoices are charged to, unless a subscription has one of its own. */
  defaultCard: PaymentCard | null
  /**
   * Minor units by currency: credit that later invoices in it use up; below 0 for a debt that the
   * next one adds. Without those of 0.
   */
  credits: Readonly<Record<string, number>>
}

/**
 * How tax gets onto invoices. `automatic`: the processor computes it (Stripe Tax). `rates`: these
 * rates, the processor's ids. `none`: no tax; on calls that change something, what is there stays.
 */
export type SubscriptionTax =
  | { mode: 'automatic' }
  | { mode: 'rates'; rateIds: readonly string[] }
  | { mode: 'none' }

/** The buyer as tax is computed for it. */
export interface TaxableCustomer {
  address: PostalAddress | null
  /** `reverse`: nothing is charged, and the invoice says that the buyer owes the tax. */
  taxExempt: 'none' | 'reverse'
}

export interface TaxRateInput {
  /** ISO 3166-1 alpha-2. */
  country: string
  percent: number
  behavior: TaxBehavior
  reason: TaxabilityReason
}

/**
 * A subscription as the processor has it now. `status` is its own word, which may be one that we do
 * not know yet.
 */
export interface ProcessorSubscription {
  id: string
  customerId: string
  status: string
  itemId: string
  priceId: string
  currency: string
  cycle: 'month' | 'year'
  /**
   * Per seat and cycle, after permanent discounts; null where the price has tiers or a flat part.
   */
  perSeatAmount: number | null
  /** What the whole period costs where price times seats is not it; null otherwise. */
  periodAmount: number | null
  /** Whether the amounts contain tax. */
  taxBehavior: TaxBehavior
  seats: number
  /** What we wrote down at creation: `tenantId` and `plan` among it. */
  metadata: Readonly<Record<string, string>>
  created: Date
  trialStart: Date | null
  trialEnd: Date | null
  currentPeriodStart: Date | null
  currentPeriodEnd: Date | null
  cancelAtPeriodEnd: boolean
  cancelAt: Date | null
  canceledAt: Date | null
  endedAt: Date | null
  cancelReason: string | null
  cancelFeedback: string | null
  cancelComment: string | null
  pauseCollection: {
    behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'
    resumesAt: Date | null
  } | null
  pausedAt: Date | null
  pauseReason: string | null
  latestInvoiceId: string | null
  defaultPaymentMethodId: string | null
  tax: { automatic: boolean; rateIds: readonly string[] }
  /** The schedule attached to it. */
  scheduleId: string | null
  /**
   * What the schedule changes at the end of a period; null for nothing, undefined where it is not
   * known: an event shows the id of the schedule alone.
   */
  scheduled: { priceId: string; seats: number; at: Date } | null | undefined
  /** An update that waits for its payment. */
  pendingUpdate: { expiresAt: Date; seats: number | null; priceId: string | null } | null
}

export interface PostalAddress {
  line1: string | null
  line2: string | null
  postalCode: string | null
  city: string | null
  state: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
}

/** A tax rate of the processor's. Its percentage never changes; a new one replaces it. */
export interface TaxRate {
  id: string
  /** As applied, with at most four decimals: 19 is 19 %. */
  percent: number
  /** ISO 3166-1 alpha-2; null where the rate names none. */
  country: string | null
  /** As the processor prints it: "VAT", "MwSt". */
  displayName: string
  jurisdiction: string | null
}

/** One tax on a line, or the sum of one tax over a whole invoice. */
export interface InvoiceTax {
  /** 0 for a tax that is owed by the buyer or not owed. */
  amount: number
  /** What it is computed from, without the tax. Null where the processor does not say. */
  taxableAmount: number | null
  behavior: TaxBehavior
  reason: TaxabilityReason
  rateId: string | null
  /** Null for an invoice that is known from an event alone, which names the rate by its id. */
  rate: TaxRate | null
}

export interface ProcessorInvoiceLine {
  id: string
  description: string | null
  /** Before discounts. With the tax where it is inclusive. */
  amount: number
  discount: number
  quantity: number | null
  /**
   * Per unit, in minor units as decimal text: "800" or "0.5". Null where tiers decide. On a
   * proration `amount` is a part of unit amount times quantity.
   */
  unitAmount: string | null
  priceId: string | null
  proration: boolean
  periodStart: Date
  periodEnd: Date
  taxes: readonly InvoiceTax[]
}

/** The buyer as the invoice shows it: frozen when the invoice is finalized. */
export interface InvoiceCustomer {
  name: string | null
  email: string | null
  address: PostalAddress | null
  /** `type` is the processor's word: `eu_vat`, `gb_vat`, `ch_vat` … */
  taxIds: readonly { type: string; value: string }[]
  taxExempt: 'none' | 'exempt' | 'reverse'
}

export interface ProcessorInvoice {
  id: string
  customerId: string | null
  subscriptionId: string | null
  number: string | null
  status: string
  billingReason: string | null
  currency: string
  customer: InvoiceCustomer
  subtotal: number
  discount: number
  tax: number
  /** One entry per rate and reason, over all lines. */
  taxes: readonly InvoiceTax[]
  total: number
  totalExcludingTax: number
  /**
   * Whether the processor computed the tax by itself. `status` and `disabledReason` are its words;
   * `requires_location_inputs`: the customer's address is missing or unusable.
   */
  automaticTax: { enabled: boolean; status: string | null; disabledReason: string | null }
  amountDue: number
  amountPaid: number
  amountRemaining: number
  amountOverpaid: number
  creditedAmount: number
  /**
   * What the customer's balance paid of it; below 0 for a debt that it adds. Null until finalized.
   */
  balanceApplied: number | null
  periodStart: Date | null
  periodEnd: Date | null
  dueDate: Date | null
  nextPaymentAttempt: Date | null
  attemptCount: number
  created: Date
  /** The date that stands on it; null until finalized. */
  effectiveAt: Date | null
  finalizedAt: Date | null
  paidAt: Date | null
  voidedAt: Date | null
  uncollectibleAt: Date | null
  hostedInvoiceUrl: string | null
  invoicePdf: string | null
  lines: readonly ProcessorInvoiceLine[]
}

/** A refund, credit note or dispute and its invoice; null when it belongs to none of ours. */
export interface ProcessorReversal {
  id: string
  kind: 'refund' | 'credit_note' | 'dispute'
  invoiceId: string | null
  currency: string
  amount: number
  /** Null where the processor does not split it. */
  amountExcludingTax: number | null
  status: string
  /**
   * The money is away now: refund succeeded, credit note issued for money returned outside of the
   * processor, disputed funds withdrawn.
   */
  effective: boolean
  created: Date
}

export interface ProcessorCreditNoteLine {
  id: string
  description: string | null
  /** Before discounts. With the tax where it is inclusive. Positive: it lowers the invoice. */
  amount: number
  discount: number
  quantity: number | null
  /** Per unit, in minor units as decimal text. */
  unitAmount: string | null
  /** Null for a line that the invoice does not have. */
  invoiceLineId: string | null
  taxes: readonly InvoiceTax[]
}

/** The document and, as a reversal, the money that it moved. */
export interface ProcessorCreditNote extends ProcessorReversal {
  kind: 'credit_note'
  /** Always set: a credit note of the processor has an invoice. */
  invoiceId: string
  customerId: string
  number: string
  /** The processor's word: `duplicate`, `fraudulent`, `order_change`, `product_unsatisfactory`. */
  reason: string | null
  /** What the issuer wrote for the customer. */
  memo: string | null
  subtotal: number
  discount: number
  tax: number
  /** One entry per rate and reason, over all lines. */
  taxes: readonly InvoiceTax[]
  total: number
  totalExcludingTax: number
  /** What lowered the amount due, because the invoice was not paid yet. */
  prePaymentAmount: number
  /** What was given back after the payment, in any way. */
  postPaymentAmount: number
  outOfBandAmount: number
  refundIds: readonly string[]
  /** What the refunds give back of it. */
  refundedAmount: number
  /** What we wrote down when we issued it; empty for one that was issued elsewhere. */
  metadata: Readonly<Record<string, string>>
  /** The date that stands on it. */
  effectiveAt: Date
  voidedAt: Date | null
  pdf: string | null
  lines: readonly ProcessorCreditNoteLine[]
}

/** Amounts with tax. The three ways of giving back add up to what the credit note is paid with. */
export interface CreditNoteInput {
  invoiceId: string
  amount: number
  /** Back to the card that paid, as a refund of its own. */
  refundAmount: number
  /** To the customer's balance, which pays later invoices. */
  balanceAmount: number
  /** Given back outside of the processor. */
  outOfBandAmount: number
  reason: 'duplicate' | 'fraudulent' | 'order_change' | 'product_unsatisfactory' | null
  /** Our own correction, in the metadata: a credit note is found again by it. */
  correctionId: string
}

/** What an invoice would be. */
export interface InvoicePreview {
  currency: string
  lines: readonly ProcessorInvoiceLine[]
  tax: number
  /** One entry per rate and reason, over all lines. */
  taxes: readonly InvoiceTax[]
  /** With tax; negative for a credit. */
  total: number
  totalExcludingTax: number
  /** What of the customer's credit pays for it. */
  creditApplied: number
  amountDue: number
}

export interface ChangePreview extends InvoicePreview {
  /**
   * The moment that was computed with; confirm with the same one so that the amount equals the
   * quote.
   */
  prorationDate: Date
  /** What the next whole period costs. */
  next: InvoicePreview
}

/** Of a subscription that does not exist yet. */
export interface StartPreview {
  /** The first invoice; of nothing while a trial runs. */
  first: InvoicePreview
  /** What every whole period costs. */
  recurring: InvoicePreview
}

export interface ProcessorPayout {
  id: string
  currency: string
  amount: number
  /** The processor's word: `paid`, `pending`, `in_transit`, `canceled` or `failed`. */
  status: string
  /** Only of an automatic one does the processor say what it is made of. */
  automatic: boolean
  /** What it is made of is final. */
  reconciled: boolean
  createdAt: Date
  arrivesAt: Date
}

/** An event whose signature was verified. The object in it may be old: read it again by its id. */
export interface PaymentEvent {
  id: string
  type: string
  apiVersion: string | null
  created: Date
  livemode: boolean
  /**
   * `subscription`, `invoice`, `customer`, `refund` …; null where the event carries no object with
   * an id.
   */
  objectType: string | null
  objectId: string | null
  /** The event as it came, for the record. */
  payload: Readonly<Record<string, unknown>>
}

export interface PriceInput {
  plan: string
  cycle: 'month' | 'year'
  currency: string
  scheme: 'per_seat' | 'flat' | 'graduated' | 'volume'
  unitAmount: number
  tiers: readonly { upTo: number | null; unitAmount: number; flatAmount: number }[] | null
  /** Our own price and its version, in the metadata. */
  priceId: string
  version: number
  taxBehavior: TaxBehavior
}

/** Every write takes an idempotency key of ours: a retry has no second effect. */
export interface WriteOptions extends CallOptions {
  idempotencyKey: string
}

/**
 * The payment processor. Every call rejects with `UpstreamError` when the processor fails; a
 * declined card is `PaymentDeclined`. Reads return undefined for what does not exist (any more).
 */
export interface Payments {
  /** Rejects when the processor is not there or does not take our key. */
  check(options: CallOptions): Promise<void>
  createCustomer(
    input: {
      tenantId: string
      tenantSlug: string
      name: string
      email: string | null
      address: PostalAddress | null
      taxExempt?: TaxableCustomer['taxExempt']
    },
    options: WriteOptions,
  ): Promise<{ id: string }>
  updateCustomer(
    id: string,
    input: {
      name?: string
      email?: string | null
      /** Replaces the whole address. */
      address?: PostalAddress | null
      taxExempt?: TaxableCustomer['taxExempt']
    },
    options: WriteOptions,
  ): Promise<void>
  /** Undefined for an unknown and for a deleted customer. */
  findCustomer(id: string, options?: CallOptions): Promise<PaymentCustomer | undefined>
  /** A VAT number to be verified by the processor. The result comes later as an event. */
  addTaxId(
    customerId: string,
    value: string,
    options: WriteOptions,
  ): Promise<{ id: string; status: string | null }>
  /**
   * Undefined for an unknown or removed one. `status` is the processor's word: pending, verified,
   * unverified, unavailable.
   */
  findTaxId(
    customerId: string,
    id: string,
    options?: CallOptions,
  ): Promise<{ id: string; value: string; status: string | null } | undefined>
  /** Succeeds also when it is gone already. */
  removeTaxId(customerId: string, id: string, options: WriteOptions): Promise<void>
  /**
   * For a card that later invoices are charged to; `purpose: default_card` is in its metadata and
   * comes back in its events.
   */
  createSetupIntent(
    customerId: string,
    options: WriteOptions,
  ): Promise<{ id: string; clientSecret: string }>
  /**
   * What became of it: `status` is the processor's word, `succeeded` once the card may be charged.
   * Undefined when it does not exist.
   */
  findSetupIntent(
    id: string,
    options?: CallOptions,
  ): Promise<
    | {
        id: string
        customerId: string | null
        status: string
        paymentMethodId: string | null
        metadata: Readonly<Record<string, string>>
      }
    | undefined
  >
  /** Undefined when it does not exist; `customerId` is null while it belongs to no customer. */
  findPaymentMethod(
    id: string,
    options?: CallOptions,
  ): Promise<{ id: string; customerId: string | null; card: PaymentCard | null } | undefined>
  /** Sets the customer's default and clears the subscription's own, so that only one applies. */
  setDefaultPaymentMethod(
    input: { customerId: string; paymentMethodId: string; subscriptionId: string | null },
    options: WriteOptions,
  ): Promise<void>
  detachPaymentMethod(id: string, options: WriteOptions): Promise<void>
  createPortalSession(
    customerId: string,
    returnUrl: string,
    options: WriteOptions,
  ): Promise<{ url: string }>
  /**
   * Moves the lookup key `<plan>:<cycle>:<currency>` to the new price. Returns the processor's id.
   */
  createPrice(input: PriceInput, options: WriteOptions): Promise<{ id: string }>
  archivePrice(id: string, options: WriteOptions): Promise<void>
  /** The id of the rate, which is created when there is none like it. Idempotent. */
  ensureTaxRate(input: TaxRateInput, options?: CallOptions): Promise<string>
  /**
   * With a default card on the customer it is charged at once; without, the subscription is
   * `incomplete` until its first invoice is paid. `clientSecret` is that of the payment that waits
   * for the person; null when nothing waits. A trial without a card ends `paused`. Rejects with
   * `TaxLocationInvalid` when tax cannot be computed for the customer's address.
   */
  createSubscription(
    input: {
      customerId: string
      tenantId: string
      plan: string
      priceId: string
      seats: number
      trialDays: number
      tax: SubscriptionTax
    },
    options: WriteOptions,
  ): Promise<{ subscription: ProcessorSubscription; clientSecret: string | null }>
  /**
   * What `createSubscription` would charge. Without a customer the address and the tax numbers are
   * given. Rejects with `TaxLocationInvalid`.
   */
  previewSubscription(
    input: {
      customer:
        | { id: string }
        | (TaxableCustomer & { taxIds: readonly { type: string; value: string }[] })
      priceId: string
      currency: string
      seats: number
      /** Null without a trial. */
      trialEnd: Date | null
      tax: SubscriptionTax
    },
    options?: CallOptions,
  ): Promise<StartPreview>
  /**
   * From the next invoice on. `nextTax` is for the price that is scheduled, if one is.
   */
  setSubscriptionTax(
    input: { subscriptionId: string; tax: SubscriptionTax; nextTax: SubscriptionTax },
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  findSubscription(id: string, options?: CallOptions): Promise<ProcessorSubscription | undefined>
  /** Newest first, ended ones too. */
  listSubscriptions(
    customerId: string,
    options?: CallOptions,
  ): Promise<readonly ProcessorSubscription[]>
  /** `next`: the terms of the period after it, where others than those of the change follow. */
  previewChange(
    input: {
      customerId: string
      subscriptionId: string
      itemId: string
      priceId: string
      seats: number
      prorationDate: Date
      cycleChanges: boolean
      tax: SubscriptionTax
      next?: { priceId: string; seats: number; tax: SubscriptionTax }
    },
    options?: CallOptions,
  ): Promise<ChangePreview>
  /**
   * The next invoice as it will be if nothing changes: scheduled changes, waiting items, tax and
   * the customer's balance included. Undefined when there will be none.
   */
  previewNextInvoice(
    input: { subscriptionId: string; scheduleId: string | null },
    options?: CallOptions,
  ): Promise<InvoicePreview | undefined>
  /**
   * Now and charged at once; the seats or the price change only once they are paid (`pendingUpdate`
   * until then).
   */
  changeSubscription(
    input: {
      subscriptionId: string
      itemId: string
      priceId: string
      plan: string
      seats: number
      prorationDate: Date
      cycleChanges: boolean
    },
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  /**
   * Immediately and without asking for a payment: for an operator's correction and a paused
   * subscription. `prorates`: the difference for the rest of the period goes on the next invoice.
   */
  setSubscriptionItem(
    input: {
      subscriptionId: string
      itemId: string
      priceId: string
      plan: string
      seats: number
      prorates: boolean
    },
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  /**
   * Schedules the price and the seats of the next period, without proration. Replaces what was
   * scheduled before. The processor carries it out by itself at the end of the current period.
   */
  scheduleChange(
    input: {
      subscriptionId: string
      priceId: string
      plan: string
      seats: number
      cycle: 'month' | 'year'
      cycleChanges: boolean
      /** For the current period. */
      tax: SubscriptionTax
      /** For the scheduled price. */
      nextTax: SubscriptionTax
    },
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  /**
   * Detaches the schedule; what was scheduled does not happen. Without a schedule nothing changes.
   */
  releaseSchedule(subscriptionId: string, options: WriteOptions): Promise<ProcessorSubscription>
  setCancelAtPeriodEnd(
    subscriptionId: string,
    cancel: boolean,
    comment: string | null,
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  /**
   * Ends it immediately. `credit`: the paid rest of the period becomes customer credit, prorated by
   * the second, and a final invoice is created for everything not invoiced yet. An ended
   * subscription is returned unchanged.
   */
  cancelNow(
    subscriptionId: string,
    credit: boolean,
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  /** Of a paused one: a period begins now and is charged. */
  resumeSubscription(subscriptionId: string, options: WriteOptions): Promise<ProcessorSubscription>
  findInvoice(id: string, options?: CallOptions): Promise<ProcessorInvoice | undefined>
  /** Newest first. */
  listInvoices(customerId: string, options?: CallOptions): Promise<readonly ProcessorInvoice[]>
  payInvoice(id: string, options: WriteOptions): Promise<ProcessorInvoice>
  /** Marks an open or uncollectible invoice as paid elsewhere; nothing is charged. */
  payOutOfBand(id: string, options: WriteOptions): Promise<ProcessorInvoice>
  /** Writes an open invoice off. It can still be paid or voided. */
  markUncollectible(id: string, options: WriteOptions): Promise<ProcessorInvoice>
  /**
   * Lowers what is due on an open invoice. On a paid one the three amounts say where the money
   * goes; the refund is made with it or not at all.
   */
  createCreditNote(input: CreditNoteInput, options: WriteOptions): Promise<ProcessorCreditNote>
  /** Voids an open invoice: it is no longer due and cannot be paid. */
  voidInvoice(id: string, options: WriteOptions): Promise<ProcessorInvoice>
  findRefund(id: string, options?: CallOptions): Promise<ProcessorReversal | undefined>
  findCreditNote(id: string, options?: CallOptions): Promise<ProcessorCreditNote | undefined>
  /** Those of one invoice, newest first, void ones too. */
  listCreditNotes(invoiceId: string, options?: CallOptions): Promise<readonly ProcessorCreditNote[]>
  findDispute(id: string, options?: CallOptions): Promise<ProcessorReversal | undefined>
  /**
   * A page of the events of these types (at most 20), newest first, whether a webhook told of them
   * or not. The processor lists those of the last 30 days. `after` is the `next` of the page
   * before.
   */
  listEvents(
    input: { types: readonly string[]; since: Date; after: string | null },
    options?: CallOptions,
  ): Promise<{ events: readonly PaymentEvent[]; next: string | null }>
  /**
   * A page of the balance's movements: those created from `since` on and before `until`, or those
   * of a payout, its own among them. `after` is the `next` of the page before.
   */
  listBalanceTransactions(
    input: ({ since: Date; until: Date | null } | { payoutId: string }) & { after: string | null },
    options?: CallOptions,
  ): Promise<{ transactions: readonly BalanceTransaction[]; next: string | null }>
  /** A page of the payouts created from `since` on, newest first. */
  listPayouts(
    input: { since: Date; after: string | null },
    options?: CallOptions,
  ): Promise<{ payouts: readonly ProcessorPayout[]; next: string | null }>
  /** What is on the balance now by currency, available or not yet. */
  readBalance(options?: CallOptions): Promise<readonly { currency: string; amount: number }[]>
  /** The invoice that a payment paid; null for a payment of something else. */
  findInvoiceOfPayment(paymentIntentId: string, options?: CallOptions): Promise<string | null>
}
