import type Stripe from 'stripe'
import { balanceTransactionView } from './balance-views.ts'
import { decimal, taxRateView } from './catalog-views.ts'
import { addressView } from './customer-views.ts'
import {
  remaining,
  subtotalOf,
  totalExcludingTaxOf,
  totalOf,
  totalTaxesOf,
} from './invoice-amounts.ts'
import type {
  CreditNote,
  CreditNoteLine,
  Dispute,
  Invoice,
  Line,
  LineTax,
  Refund,
} from './records.ts'
import type { PaymentsStore } from './store.ts'
import { buyerOf } from './taxes.ts'

const shownLines = 10

/**
 * `expand` as Stripe's parameter: `confirmation_secret` and `payments` are shown only when asked
 * for.
 */
export function invoiceView(
  store: PaymentsStore,
  invoice: Invoice,
  expand: readonly string[],
  origin: string,
): Stripe.Invoice {
  const subtotal = subtotalOf(invoice)
  const total = totalOf(invoice)
  const customer = store.customers.find(invoice.customer)
  const buyer = invoice.buyer ?? (customer && buyerOf(store, customer))
  const subscription =
    invoice.subscription === null ? undefined : store.subscriptions.find(invoice.subscription)
  const shown = invoice.finalizedAt !== null
  return {
    id: invoice.id,
    object: 'invoice',
    account_country: 'DE',
    account_name: 'Atrium Sandbox',
    account_tax_ids: null,
    amount_due: invoice.amountDue,
    amount_overpaid: 0,
    amount_paid: invoice.amountPaid,
    amount_remaining: remaining(invoice),
    amount_shipping: 0,
    application: null,
    attempt_count: invoice.attemptCount,
    attempted: invoice.attemptCount > 0,
    auto_advance: invoice.autoAdvance,
    automatic_tax: {
      disabled_reason:
        invoice.taxDisabledReason as Stripe.Invoice.AutomaticTax.DisabledReason | null,
      enabled: invoice.tax.automatic,
      liability: invoice.tax.automatic ? { type: 'self' } : null,
      provider: invoice.tax.automatic ? 'stripe' : null,
      status: invoice.tax.automatic ? 'complete' : null,
    },
    automatically_finalizes_at: invoice.finalizesAt,
    billing_reason: invoice.billingReason,
    collection_method: 'charge_automatically',
    ...(expand.includes('confirmation_secret') && {
      confirmation_secret: invoice.payment && {
        client_secret: invoice.payment.secret,
        type: 'payment_intent',
      },
    }),
    created: invoice.created,
    currency: invoice.currency,
    custom_fields: null,
    customer: invoice.customer,
    customer_account: null,
    customer_address: buyer?.address ? addressView(buyer.address) : null,
    customer_email: buyer?.email ?? null,
    customer_name: buyer?.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: buyer?.taxExempt ?? null,
    customer_tax_ids: (buyer?.taxIds ?? []).map(({ type, value }) => ({ type, value })),
    default_payment_method: null,
    default_source: null,
    default_tax_rates: invoice.tax.rates.map((id) => taxRateView(store.taxRates.get(id))),
    description: null,
    discounts: [],
    due_date: null,
    effective_at: invoice.finalizedAt,
    ending_balance: invoice.endingBalance,
    footer: null,
    from_invoice: null,
    ...(shown && {
      hosted_invoice_url: `${origin}/invoices/${invoice.id}`,
      invoice_pdf: `${origin}/invoices/${invoice.id}/pdf`,
    }),
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: linesView(
      store,
      invoice,
      invoice.lines.slice(0, shownLines),
      invoice.lines.length > shownLines,
    ),
    livemode: false,
    metadata: {},
    next_payment_attempt: invoice.nextPaymentAttempt,
    number: invoice.number,
    on_behalf_of: null,
    parent:
      invoice.subscription === null
        ? null
        : {
            quote_details: null,
            subscription_details: {
              metadata: subscription?.metadata ?? {},
              subscription: invoice.subscription,
            },
            type: 'subscription_details',
          },
    payment_settings: {
      default_mandate: null,
      payment_method_options: null,
      payment_method_types: null,
    },
    ...(expand.includes('payments') && {
      payments: {
        object: 'list' as const,
        data: invoice.payment ? [invoicePaymentView(invoice, invoice.payment)] : [],
        has_more: false,
        url: `/v1/invoice_payments?invoice=${invoice.id}`,
      },
    }),
    period_end: invoice.created,
    period_start: invoice.created,
    post_payment_credit_notes_amount: invoice.postPaymentCredit,
    pre_payment_credit_notes_amount: invoice.prePaymentCredit,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: invoice.startingBalance,
    statement_descriptor: null,
    status: invoice.status,
    status_transitions: {
      finalized_at: invoice.finalizedAt,
      marked_uncollectible_at: invoice.uncollectibleAt,
      paid_at: invoice.paidAt,
      voided_at: invoice.voidedAt,
    },
    subtotal,
    subtotal_excluding_tax: totalExcludingTaxOf(invoice),
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: totalExcludingTaxOf(invoice),
    total_pretax_credit_amounts: [],
    total_taxes: totalTaxesOf(invoice).map(taxView),
    webhooks_delivered_at: null,
  }
}

function taxView({ amount, taxableAmount, inclusive, rate, reason }: LineTax) {
  return {
    amount,
    tax_behavior: inclusive ? 'inclusive' : 'exclusive',
    tax_rate_details: { tax_rate: rate },
    taxability_reason: reason as Stripe.InvoiceLineItem.Tax.TaxabilityReason,
    taxable_amount: taxableAmount,
    type: 'tax_rate_details',
  } as const
}

export function linesView(
  store: PaymentsStore,
  invoice: Invoice,
  lines: readonly Line[],
  more: boolean,
): Stripe.ApiList<Stripe.InvoiceLineItem> {
  return {
    object: 'list',
    data: lines.map((line) => lineView(store, invoice, line)),
    has_more: more,
    url: `/v1/invoices/${invoice.id}/lines`,
  }
}

function lineView(store: PaymentsStore, invoice: Invoice, line: Line): Stripe.InvoiceLineItem {
  const price = store.prices.find(line.price)
  return {
    id: line.id,
    object: 'line_item',
    amount: line.amount,
    currency: invoice.currency,
    description: line.description,
    discount_amounts: [],
    discountable: !line.proration,
    discounts: [],
    invoice: invoice.id,
    livemode: false,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: line.proration,
        proration_details: null,
        subscription: invoice.subscription,
        subscription_item: `si_${invoice.subscription?.slice(4) ?? 'none'}`,
      },
      type: 'subscription_item_details',
    },
    period: { end: line.end, start: line.start },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: line.price, product: price?.product ?? 'prod_sandbox' },
      type: 'price_details',
      unit_amount_decimal: decimal(price?.unitAmount ?? null),
    },
    quantity: line.quantity,
    quantity_decimal: decimal(line.quantity),
    subscription: invoice.subscription,
    subtotal: line.amount,
    taxes: line.taxes.map(taxView),
  }
}

export function invoicePaymentView(
  invoice: Invoice,
  payment: NonNullable<Invoice['payment']>,
): Stripe.InvoicePayment {
  const paid = payment.status === 'succeeded'
  return {
    id: `inpay_${payment.id.slice(3)}`,
    object: 'invoice_payment',
    amount_paid: paid ? invoice.amountDue : null,
    amount_requested: invoice.amountDue,
    created: invoice.created,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: payment.id, type: 'payment_intent' },
    status: paid ? 'paid' : payment.status === 'canceled' ? 'canceled' : 'open',
    status_transitions: { canceled_at: null, paid_at: paid ? invoice.paidAt : null },
  }
}

export function refundView(store: PaymentsStore, refund: Refund): Stripe.Refund {
  const payment = store.invoices.find(refund.invoice)?.payment
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    balance_transaction:
      store.balanceTransactions.all().find(({ source }) => source === refund.id)?.id ?? null,
    charge: payment?.charge ?? null,
    created: refund.created,
    currency: refund.currency,
    customer: store.invoices.find(refund.invoice)?.customer ?? null,
    customer_account: null,
    ...(refund.failureReason !== null && { failure_reason: refund.failureReason }),
    metadata: {},
    payment_intent: payment?.id ?? null,
    payment_method: payment?.paymentMethod ?? null,
    reason: 'requested_by_customer',
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
  }
}

export function creditNoteLinesView(
  note: CreditNote,
  lines: readonly CreditNoteLine[],
  more: boolean,
): Stripe.ApiList<Stripe.CreditNoteLineItem> {
  return {
    object: 'list',
    data: lines.map(creditNoteLineView),
    has_more: more,
    url: `/v1/credit_notes/${note.id}/lines`,
  }
}

function creditNoteLineView(line: CreditNoteLine): Stripe.CreditNoteLineItem {
  const unit = line.quantity === null ? null : Math.round(line.amount / line.quantity)
  return {
    id: line.id,
    object: 'credit_note_line_item',
    amount: line.amount,
    description: line.description,
    discount_amount: 0,
    discount_amounts: [],
    ...(line.invoiceLine !== null && { invoice_line_item: line.invoiceLine }),
    livemode: false,
    metadata: {},
    pretax_credit_amounts: [],
    quantity: line.quantity,
    tax_rates: [],
    taxes: line.taxes.map(taxView),
    type: line.invoiceLine === null ? 'custom_line_item' : 'invoice_line_item',
    unit_amount: unit,
    unit_amount_decimal: decimal(unit),
  }
}

export function creditNoteView(note: CreditNote, origin: string): Stripe.CreditNote {
  return {
    id: note.id,
    object: 'credit_note',
    amount: note.total,
    amount_shipping: 0,
    created: note.created,
    currency: note.currency,
    customer: note.customer,
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: note.created,
    invoice: note.invoice,
    lines: creditNoteLinesView(
      note,
      note.lines.slice(0, shownLines),
      note.lines.length > shownLines,
    ),
    livemode: false,
    memo: note.memo,
    metadata: note.metadata,
    number: note.number,
    out_of_band_amount: note.outOfBand === 0 ? null : note.outOfBand,
    pdf: `${origin}/credit-notes/${note.id}/pdf`,
    post_payment_amount: note.postPayment,
    pre_payment_amount: note.total - note.postPayment,
    pretax_credit_amounts: [],
    reason: note.reason,
    refunds:
      note.refund === null
        ? []
        : [
            {
              amount_refunded: note.refunded,
              payment_record_refund: null,
              refund: note.refund,
              type: 'refund',
            },
          ],
    shipping_cost: null,
    status: note.status,
    subtotal: subtotalOf(note),
    subtotal_excluding_tax: totalExcludingTaxOf(note),
    total: note.total,
    total_excluding_tax: totalExcludingTaxOf(note),
    total_taxes: totalTaxesOf(note).map(taxView),
    type:
      note.postPayment === 0
        ? 'pre_payment'
        : note.postPayment === note.total
          ? 'post_payment'
          : 'mixed',
    voided_at: note.voidedAt,
  }
}

/** Without the evidence, which nobody reads here. */
export function disputeView(
  store: PaymentsStore,
  dispute: Dispute,
): Omit<Stripe.Dispute, 'evidence' | 'evidence_details'> {
  const payment = store.invoices.find(dispute.invoice)?.payment
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: dispute.movements.map((id) =>
      balanceTransactionView(store.balanceTransactions.get(id)),
    ),
    charge: payment?.charge ?? 'ch_unknown',
    created: dispute.created,
    currency: dispute.currency,
    enhanced_eligibility_types: [],
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: payment?.id ?? null,
    reason: 'general',
    status: dispute.status,
  }
}
