import type Stripe from 'stripe'
import type { ProcessorInvoice, ProcessorInvoiceLine } from './port.ts'
import { idOf, moment, objectOf, optionalId, optionalMoment, text, whole } from './shapes.ts'

/**
 * `periodStart` and `periodEnd` are those of the subscription's own line: the header of an invoice
 * has the period in which items were collected.
 */
export function invoiceOf(response: Stripe.Invoice): ProcessorInvoice {
  const invoice = objectOf(response, 'invoice')
  const lines = invoice.lines.data.map(lineOf)
  const regular = lines.find(({ proration }) => !proration) ?? lines.at(-1)
  const { status_transitions: at } = invoice
  const subscription = invoice.parent?.subscription_details?.subscription
  const tax = sum(invoice.total_taxes)
  return {
    id: text(invoice.id, 'id'),
    customerId: optionalId(invoice.customer, 'customer'),
    subscriptionId: optionalId(subscription, 'subscription'),
    number: invoice.number,
    status: text(invoice.status ?? 'draft', 'status'),
    billingReason: invoice.billing_reason,
    currency: text(invoice.currency, 'currency'),
    subtotal: whole(invoice.subtotal, 'subtotal'),
    discount: sum(invoice.total_discount_amounts),
    tax,
    total: whole(invoice.total, 'total'),
    totalExcludingTax: whole(
      invoice.total_excluding_tax ?? invoice.total - tax,
      'total_excluding_tax',
    ),
    amountDue: whole(invoice.amount_due, 'amount_due'),
    amountPaid: whole(invoice.amount_paid, 'amount_paid'),
    amountRemaining: whole(invoice.amount_remaining, 'amount_remaining'),
    amountOverpaid: whole(invoice.amount_overpaid, 'amount_overpaid'),
    creditedAmount: whole(
      invoice.post_payment_credit_notes_amount + invoice.pre_payment_credit_notes_amount,
      'credit notes',
    ),
    periodStart: regular?.periodStart ?? null,
    periodEnd: regular?.periodEnd ?? null,
    dueDate: optionalMoment(invoice.due_date, 'due_date'),
    nextPaymentAttempt: optionalMoment(invoice.next_payment_attempt, 'next_payment_attempt'),
    attemptCount: whole(invoice.attempt_count, 'attempt_count'),
    created: moment(invoice.created, 'created'),
    finalizedAt: optionalMoment(at.finalized_at, 'finalized_at'),
    paidAt: optionalMoment(at.paid_at, 'paid_at'),
    voidedAt: optionalMoment(at.voided_at, 'voided_at'),
    uncollectibleAt: optionalMoment(at.marked_uncollectible_at, 'marked_uncollectible_at'),
    hostedInvoiceUrl: invoice.hosted_invoice_url ?? null,
    invoicePdf: invoice.invoice_pdf ?? null,
    lines,
  }
}

export function lineOf(line: Stripe.InvoiceLineItem): ProcessorInvoiceLine {
  const { parent } = line
  return {
    description: line.description,
    amount: whole(line.amount, 'amount'),
    quantity: line.quantity,
    proration:
      (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration ?? false,
    periodStart: moment(line.period.start, 'period'),
    periodEnd: moment(line.period.end, 'period'),
  }
}

/** The ids of a payment, to look up the invoice behind a refund or a dispute. */
export function paymentIntentOf(value: string | { id: string } | null): string | null {
  return value === null ? null : idOf(value, 'payment_intent')
}

function sum(parts: readonly { amount: number }[] | null): number {
  return (parts ?? []).reduce((total, part) => total + whole(part.amount, 'amount'), 0)
}
