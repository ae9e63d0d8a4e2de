import type Stripe from 'stripe'
import type {
  InvoiceCustomer,
  InvoicePreview,
  PostalAddress,
  ProcessorInvoice,
  ProcessorInvoiceLine,
} from './port.ts'
import { idOf, moment, objectOf, optionalId, optionalMoment, sumOf, text, whole } from './shapes.ts'
import { sumOfTaxes, taxesOf } from './tax-shape.ts'

/**
 * `periodStart` and `periodEnd` are those of the subscription's own line: the header of an invoice
 * has the period in which items were collected. The rates of the taxes are still null.
 */
export function invoiceOf(response: Stripe.Invoice): ProcessorInvoice {
  const invoice = objectOf(response, 'invoice')
  const lines = invoice.lines.data.map(lineOf)
  const regular = lines.find(({ proration }) => !proration) ?? lines.at(-1)
  const { status_transitions: at } = invoice
  const subscription = invoice.parent?.subscription_details?.subscription
  const taxes = taxesOf(invoice.total_taxes)
  const tax = sumOfTaxes(taxes)
  return {
    id: text(invoice.id, 'id'),
    customerId: optionalId(invoice.customer, 'customer'),
    subscriptionId: optionalId(subscription, 'subscription'),
    number: invoice.number,
    status: text(invoice.status ?? 'draft', 'status'),
    billingReason: invoice.billing_reason,
    currency: text(invoice.currency, 'currency'),
    customer: customerOf(invoice),
    subtotal: whole(invoice.subtotal, 'subtotal'),
    discount: sumOf(invoice.total_discount_amounts),
    tax,
    taxes,
    total: whole(invoice.total, 'total'),
    totalExcludingTax: whole(
      invoice.total_excluding_tax ?? invoice.total - tax,
      'total_excluding_tax',
    ),
    automaticTax: {
      enabled: invoice.automatic_tax?.enabled === true,
      status: invoice.automatic_tax?.status ?? null,
      disabledReason: invoice.automatic_tax?.disabled_reason ?? null,
    },
    amountDue: whole(invoice.amount_due, 'amount_due'),
    amountPaid: whole(invoice.amount_paid, 'amount_paid'),
    amountRemaining: whole(invoice.amount_remaining, 'amount_remaining'),
    amountOverpaid: whole(invoice.amount_overpaid, 'amount_overpaid'),
    creditedAmount: whole(
      invoice.post_payment_credit_notes_amount + invoice.pre_payment_credit_notes_amount,
      'credit notes',
    ),
    balanceApplied: balanceAppliedOf(invoice),
    periodStart: regular?.periodStart ?? null,
    periodEnd: regular?.periodEnd ?? null,
    dueDate: optionalMoment(invoice.due_date, 'due_date'),
    nextPaymentAttempt: optionalMoment(invoice.next_payment_attempt, 'next_payment_attempt'),
    attemptCount: whole(invoice.attempt_count, 'attempt_count'),
    created: moment(invoice.created, 'created'),
    effectiveAt: optionalMoment(invoice.effective_at, 'effective_at'),
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
  const { parent, pricing } = line
  const price = pricing?.price_details?.price
  return {
    id: text(line.id, 'line id'),
    description: line.description,
    amount: whole(line.amount, 'amount'),
    discount: sumOf(line.discount_amounts),
    quantity: line.quantity,
    unitAmount: pricing?.unit_amount_decimal?.toString() ?? null,
    priceId: optionalId(price, 'price'),
    proration:
      (parent?.subscription_item_details ?? parent?.invoice_item_details)?.proration ?? false,
    periodStart: moment(line.period.start, 'period'),
    periodEnd: moment(line.period.end, 'period'),
    taxes: taxesOf(line.taxes),
  }
}

const exemptions = ['none', 'exempt', 'reverse'] as const

function customerOf(invoice: Stripe.Invoice): InvoiceCustomer {
  return {
    name: invoice.customer_name ?? null,
    email: invoice.customer_email ?? null,
    address: invoice.customer_address ? addressOf(invoice.customer_address) : null,
    taxIds: (invoice.customer_tax_ids ?? []).flatMap(({ type, value }) =>
      value === null ? [] : [{ type: text(type, 'tax id type'), value }],
    ),
    taxExempt: exemptions.find((known) => known === invoice.customer_tax_exempt) ?? 'none',
  }
}

function addressOf(address: Stripe.Address): PostalAddress {
  return {
    line1: address.line1 ?? null,
    line2: address.line2 ?? null,
    postalCode: address.postal_code ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    country: address.country ?? null,
  }
}

/** A balance below 0 is credit: what an invoice uses of it raises the balance. */
function balanceAppliedOf(invoice: Stripe.Invoice): number | null {
  const { starting_balance: start, ending_balance: end } = invoice
  if (end === null || end === undefined) return null
  return whole(end, 'ending_balance') - whole(start, 'starting_balance')
}

/** What an invoice would be; the rates of the taxes are still null. */
export function previewOf(response: Stripe.Invoice): InvoicePreview {
  const invoice = objectOf(response, 'invoice')
  const taxes = taxesOf(invoice.total_taxes)
  const tax = sumOfTaxes(taxes)
  const total = whole(invoice.total, 'total')
  const amountDue = whole(invoice.amount_due, 'amount_due')
  return {
    currency: text(invoice.currency, 'currency'),
    lines: invoice.lines.data.map(lineOf),
    tax,
    taxes,
    total,
    totalExcludingTax: whole(invoice.total_excluding_tax ?? total - tax, 'total_excluding_tax'),
    creditApplied: Math.max(0, total - amountDue),
    amountDue,
  }
}

/** The ids of a payment, to look up the invoice behind a refund or a dispute. */
export function paymentIntentOf(value: string | { id: string } | null): string | null {
  return value === null ? null : idOf(value, 'payment_intent')
}
