import type {
  InvoiceTax,
  ProcessorInvoice,
  ProcessorReversal,
  ProcessorSubscription,
} from '@atrium/integrations/payments/port'
import type { Happening } from './processor.ts'

/**
 * What happened at the processor, recorded: what stood before, and what the events to deliver are
 * about.
 */
export interface Sequence {
  name: string
  before: readonly Happening[]
  happenings: readonly Happening[]
  /**
   * Only about subscriptions and invoices, which events show whole: can be applied without keys.
   */
  shownWhole: boolean
}

// In the far future: the history that begins when a test creates its tenant determines who earned
// at the time.
const start = new Date('2040-03-01T10:00:00Z')
const end = new Date('2040-04-01T10:00:00Z')
const nextEnd = new Date('2040-05-01T10:00:00Z')
const after = (seconds: number, from = start) => new Date(from.getTime() + seconds * 1000)

/** German VAT, as an event shows it: the rate by its id alone. */
function vat(amount: number, taxableAmount: number): InvoiceTax {
  return {
    amount,
    taxableAmount,
    behavior: 'exclusive',
    reason: 'standard_rated',
    rateId: 'txr_vat_19',
    rate: null,
  }
}

export interface SequenceOf {
  tenantId: string
  customerId: string
  word: string
  /** How many times the price list's amounts. */
  times?: number
}

/**
 * Sequences of one tenant's customer; ids carry `word`, so that every run is about objects of its
 * own.
 */
export function recordedSequences({
  tenantId,
  customerId,
  word,
  times = 1,
}: SequenceOf): Sequence[] {
  const subscription: ProcessorSubscription = {
    id: `sub_${word}`,
    customerId,
    status: 'active',
    itemId: `si_${word}`,
    priceId: 'price_demo_starter_month_eur',
    currency: 'eur',
    cycle: 'month',
    perSeatAmount: 400 * times,
    periodAmount: null,
    taxBehavior: 'exclusive',
    seats: 5,
    metadata: { tenantId, plan: 'starter' },
    created: start,
    trialStart: null,
    trialEnd: null,
    currentPeriodStart: start,
    currentPeriodEnd: end,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    cancelReason: null,
    cancelFeedback: null,
    cancelComment: null,
    pauseCollection: null,
    pausedAt: null,
    pauseReason: null,
    latestInvoiceId: `in_${word}`,
    defaultPaymentMethodId: null,
    pendingUpdate: null,
    tax: { automatic: false, rateIds: [] },
    scheduleId: null,
    scheduled: null,
  }
  const invoice = (
    name: string,
    at: Date,
    fields: Partial<ProcessorInvoice> = {},
  ): ProcessorInvoice => ({
    id: `in_${word}${name}`,
    customerId,
    subscriptionId: subscription.id,
    number: `${word}-${name || '1'}`,
    status: 'open',
    billingReason: 'subscription_cycle',
    currency: 'eur',
    customer: {
      name: 'Acme',
      email: 'billing@acme.test',
      address: null,
      taxIds: [],
      taxExempt: 'none',
    },
    taxes: [vat(380 * times, 2_000 * times)],
    automaticTax: { enabled: false, status: null, disabledReason: null },
    balanceApplied: 0,
    effectiveAt: at,
    subtotal: 2_000 * times,
    discount: 0,
    tax: 380 * times,
    total: 2_380 * times,
    totalExcludingTax: 2_000 * times,
    amountDue: 2_380 * times,
    amountPaid: 0,
    amountRemaining: 2_380 * times,
    amountOverpaid: 0,
    creditedAmount: 0,
    periodStart: start,
    periodEnd: end,
    dueDate: null,
    nextPaymentAttempt: null,
    attemptCount: 0,
    created: at,
    finalizedAt: at,
    paidAt: null,
    voidedAt: null,
    uncollectibleAt: null,
    hostedInvoiceUrl: null,
    invoicePdf: null,
    lines: [
      {
        id: `il_${word}${name}`,
        description: '5 seats',
        amount: 2_000 * times,
        discount: 0,
        quantity: 5,
        unitAmount: String(400 * times),
        priceId: subscription.priceId,
        proration: false,
        periodStart: start,
        periodEnd: end,
        taxes: [vat(380 * times, 2_000 * times)],
      },
    ],
    ...fields,
  })
  const paid = (at: Date): Partial<ProcessorInvoice> => ({
    status: 'paid',
    amountPaid: 2_380 * times,
    amountRemaining: 0,
    paidAt: at,
    attemptCount: 1,
  })
  const draft = { status: 'draft', number: null, finalizedAt: null }
  const sub = (
    at: Date,
    types: readonly string[],
    fields: Partial<ProcessorSubscription> = {},
  ): Happening => ({
    object: { kind: 'subscription', value: { ...subscription, ...fields } },
    types: types.map((type) => `customer.subscription.${type}`),
    at,
  })
  const inv = (at: Date, types: readonly string[], value: ProcessorInvoice): Happening => ({
    object: { kind: 'invoice', value },
    types: types.map((type) => `invoice.${type}`),
    at,
  })
  const reversal = (
    at: Date,
    types: readonly string[],
    fields: Partial<ProcessorReversal> & Pick<ProcessorReversal, 'kind'>,
  ): Happening => ({
    object: {
      kind: 'reversal',
      value: {
        id: `${fields.kind}_${word}`,
        invoiceId: `in_${word}`,
        currency: 'eur',
        amount: 2_380 * times,
        amountExcludingTax: null,
        status: 'succeeded',
        effective: true,
        created: after(86_400),
        ...fields,
      },
    },
    types,
    at,
  })
  const standing = [
    sub(start, ['created']),
    inv(after(2), ['paid'], invoice('', start, paid(after(2)))),
  ]
  const renewed = after(60, end)
  const disputed = (status: string, effective: boolean) => ({
    kind: 'dispute' as const,
    status,
    effective,
  })
  return [
    {
      name: 'subscribe, pay',
      before: [],
      happenings: [
        sub(start, ['created'], { status: 'incomplete' }),
        inv(start, ['finalized'], invoice('', start)),
        inv(after(2), ['paid'], invoice('', start, paid(after(2)))),
        sub(after(2), ['updated']),
      ],
      shownWhole: true,
    },
    {
      name: 'renew',
      before: standing,
      happenings: [
        inv(end, ['created'], invoice('r', end, draft)),
        sub(end, ['updated'], {
          currentPeriodStart: end,
          currentPeriodEnd: nextEnd,
          latestInvoiceId: `in_${word}r`,
        }),
        inv(renewed, ['finalized'], invoice('r', end, { finalizedAt: renewed })),
        inv(
          after(2, renewed),
          ['paid'],
          invoice('r', end, { finalizedAt: renewed, ...paid(after(2, renewed)) }),
        ),
      ],
      shownWhole: true,
    },
    {
      name: 'decline, retry, pay',
      before: standing,
      happenings: [
        inv(end, ['finalized'], invoice('d', end)),
        inv(
          after(2, end),
          ['payment_failed'],
          invoice('d', end, { attemptCount: 1, nextPaymentAttempt: after(259_200, end) }),
        ),
        sub(after(2, end), ['updated'], {
          status: 'past_due',
          currentPeriodStart: end,
          currentPeriodEnd: nextEnd,
        }),
        inv(
          after(259_200, end),
          ['paid'],
          invoice('d', end, { ...paid(after(259_200, end)), attemptCount: 2 }),
        ),
        sub(after(259_201, end), ['updated'], {
          currentPeriodStart: end,
          currentPeriodEnd: nextEnd,
        }),
      ],
      shownWhole: true,
    },
    {
      name: 'upgrade',
      before: standing,
      happenings: [
        inv(
          after(500),
          ['created', 'finalized'],
          invoice('u', after(500), { billingReason: 'subscription_update' }),
        ),
        inv(
          after(501),
          ['paid'],
          invoice('u', after(500), { billingReason: 'subscription_update', ...paid(after(501)) }),
        ),
        sub(after(501), ['updated', 'pending_update_applied'], {
          priceId: 'price_demo_business_month_eur',
          perSeatAmount: 800 * times,
          seats: 8,
          metadata: { tenantId, plan: 'business' },
        }),
      ],
      shownWhole: true,
    },
    {
      name: 'cancel',
      before: standing,
      happenings: [
        sub(after(900), ['updated'], {
          cancelAtPeriodEnd: true,
          cancelAt: end,
          canceledAt: after(900),
          cancelReason: 'cancellation_requested',
        }),
        inv(after(950), ['updated'], invoice('', start, paid(after(2)))),
        sub(end, ['deleted'], {
          status: 'canceled',
          canceledAt: after(900),
          endedAt: end,
          cancelReason: 'cancellation_requested',
        }),
      ],
      shownWhole: true,
    },
    {
      name: 'refund',
      before: standing,
      happenings: [
        reversal(after(86_400), ['refund.created'], {
          kind: 'refund',
          status: 'pending',
          effective: false,
        }),
        reversal(after(86_500), ['refund.updated', 'charge.refunded'], { kind: 'refund' }),
        inv(after(86_501), ['updated'], invoice('', start, paid(after(2)))),
      ],
      shownWhole: false,
    },
    {
      name: 'refund that fails',
      before: standing,
      happenings: [
        reversal(after(86_400), ['refund.created'], { kind: 'refund', amount: 1_000 * times }),
        reversal(after(86_500), ['refund.failed', 'refund.updated'], {
          kind: 'refund',
          amount: 1_000 * times,
          status: 'failed',
          effective: false,
        }),
      ],
      shownWhole: false,
    },
    {
      name: 'dispute lost',
      before: standing,
      happenings: [
        reversal(after(90_000), ['charge.dispute.created'], disputed('needs_response', false)),
        reversal(
          after(90_001),
          ['charge.dispute.funds_withdrawn'],
          disputed('needs_response', true),
        ),
        reversal(after(990_000), ['charge.dispute.closed'], disputed('lost', true)),
      ],
      shownWhole: false,
    },
    {
      name: 'dispute won',
      before: standing,
      happenings: [
        reversal(after(90_000), ['charge.dispute.created'], disputed('needs_response', false)),
        reversal(
          after(90_001),
          ['charge.dispute.funds_withdrawn'],
          disputed('needs_response', true),
        ),
        reversal(after(990_000), ['charge.dispute.closed'], disputed('won', true)),
        reversal(after(990_001), ['charge.dispute.funds_reinstated'], disputed('won', false)),
      ],
      shownWhole: false,
    },
    {
      name: 'credit note',
      before: standing,
      happenings: [
        reversal(after(95_000), ['credit_note.created'], {
          kind: 'credit_note',
          amount: 1_190 * times,
          amountExcludingTax: 1_000 * times,
          status: 'issued',
        }),
        inv(
          after(95_001),
          ['updated'],
          invoice('', start, { ...paid(after(2)), creditedAmount: 1_190 * times }),
        ),
        reversal(after(95_002), ['credit_note.updated'], {
          kind: 'credit_note',
          amount: 1_190 * times,
          amountExcludingTax: 1_000 * times,
          status: 'issued',
        }),
      ],
      shownWhole: false,
    },
  ]
}
