import type { CallOptions } from '../call-options.ts'

/**
 * Amounts are whole numbers of the currency's minor unit; currencies are lower-cased ISO 4217;
 * times are `Date`.
 */
export interface Card {
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

export interface PaymentCustomer {
  id: string
  email: string | null
  /** The card that invoices are charged to, unless a subscription has one of its own. */
  defaultCard: Card | null
  /** Credit that later invoices use up; below 0 for a debit that the next one adds. */
  credit: number
  currency: string | null
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
   * Per seat and cycle, without tax and after permanent discounts; null where the price has tiers
   * or a flat part.
   */
  perSeatAmount: number | null
  /** What the whole period costs where price times seats is not it; null otherwise. */
  periodAmount: number | null
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

export interface ProcessorInvoiceLine {
  description: string | null
  amount: number
  quantity: number | null
  proration: boolean
  periodStart: Date
  periodEnd: Date
}

export interface ProcessorInvoice {
  id: string
  customerId: string | null
  subscriptionId: string | null
  number: string | null
  status: string
  billingReason: string | null
  currency: string
  subtotal: number
  discount: number
  tax: number
  total: number
  totalExcludingTax: number
  amountDue: number
  amountPaid: number
  amountRemaining: number
  amountOverpaid: number
  creditedAmount: number
  periodStart: Date | null
  periodEnd: Date | null
  dueDate: Date | null
  nextPaymentAttempt: Date | null
  attemptCount: number
  created: Date
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

export interface ChangePreview {
  currency: string
  /**
   * The moment that was computed with; confirm with the same one so that the amount equals the
   * quote.
   */
  prorationDate: Date
  lines: readonly ProcessorInvoiceLine[]
  tax: number
  /** Due now, with tax; negative for a credit. */
  total: number
  /** What the next whole period costs, with tax. */
  nextAmount: number
}

export interface UpcomingInvoice {
  currency: string
  lines: readonly ProcessorInvoiceLine[]
  tax: number
  total: number
  /** What of the customer's credit pays for it. */
  creditApplied: number
  amountDue: number
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
      country: string | null
    },
    options: WriteOptions,
  ): Promise<{ id: string }>
  updateCustomer(
    id: string,
    input: { name?: string; email?: string | null; country?: string | null },
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
  ): Promise<{ id: string; customerId: string | null; card: Card | null } | undefined>
  /**
   * Makes it the customer's default and clears the subscription's own, so that there is one truth.
   */
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
  /**
   * With a default card on the customer it is charged at once; without, the subscription is
   * `incomplete` until its first invoice is paid. `clientSecret` is that of the payment that waits
   * for the person; null when nothing waits. A trial without a card ends `paused`.
   */
  createSubscription(
    input: {
      customerId: string
      tenantId: string
      plan: string
      priceId: string
      seats: number
      trialDays: number
    },
    options: WriteOptions,
  ): Promise<{ subscription: ProcessorSubscription; clientSecret: string | null }>
  findSubscription(id: string, options?: CallOptions): Promise<ProcessorSubscription | undefined>
  /** Newest first, ended ones too. */
  listSubscriptions(
    customerId: string,
    options?: CallOptions,
  ): Promise<readonly ProcessorSubscription[]>
  previewChange(
    input: {
      customerId: string
      subscriptionId: string
      itemId: string
      priceId: string
      seats: number
      prorationDate: Date
      cycleChanges: boolean
    },
    options?: CallOptions,
  ): Promise<ChangePreview>
  /**
   * The next invoice as it will be if nothing changes: scheduled changes, waiting items, tax and the
   * customer's balance included. Undefined when there will be none.
   */
  previewNextInvoice(
    input: { subscriptionId: string; scheduleId: string | null },
    options?: CallOptions,
  ): Promise<UpcomingInvoice | undefined>
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
   * Without proration and invoice: for what was decided to hold from the next period on, and for an
   * operator's correction.
   */
  setSubscriptionItem(
    input: {
      subscriptionId: string
      itemId: string
      priceId: string
      plan: string
      seats: number
      credit: boolean
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
    },
    options: WriteOptions,
  ): Promise<ProcessorSubscription>
  /** Detaches the schedule; what was scheduled does not happen. Without a schedule nothing changes. */
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
  /** Voids an open invoice: it is no longer due and cannot be paid. */
  voidInvoice(id: string, options: WriteOptions): Promise<ProcessorInvoice>
  findRefund(id: string, options?: CallOptions): Promise<ProcessorReversal | undefined>
  findCreditNote(id: string, options?: CallOptions): Promise<ProcessorReversal | undefined>
  findDispute(id: string, options?: CallOptions): Promise<ProcessorReversal | undefined>
}
