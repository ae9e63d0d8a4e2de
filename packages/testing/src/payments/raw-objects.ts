import type {
  InvoiceTax,
  ProcessorInvoice,
  ProcessorReversal,
  ProcessorSubscription,
} from '@atrium/integrations/payments/port'

const seconds = (at: Date | null) => (at === null ? null : Math.floor(at.getTime() / 1000))

/**
 * A subscription as Stripe's events show it (npm stripe 23.1.0, Subscriptions.d.ts); the fields
 * that are read.
 */
export function rawSubscription(subscription: ProcessorSubscription): Record<string, unknown> {
  return {
    id: subscription.id,
    object: 'subscription',
    customer: subscription.customerId,
    status: subscription.status,
    currency: subscription.currency,
    metadata: subscription.metadata,
    created: seconds(subscription.created),
    trial_start: seconds(subscription.trialStart),
    trial_end: seconds(subscription.trialEnd),
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    cancel_at: seconds(subscription.cancelAt),
    canceled_at: seconds(subscription.canceledAt),
    ended_at: seconds(subscription.endedAt),
    cancellation_details: { reason: subscription.cancelReason, feedback: null, comment: null },
    pause_collection: null,
    latest_invoice: subscription.latestInvoiceId,
    default_payment_method: null,
    pending_update: null,
    items: {
      object: 'list',
      data: [
        {
          id: subscription.itemId,
          object: 'subscription_item',
          quantity: subscription.seats,
          current_period_start: seconds(subscription.currentPeriodStart),
          current_period_end: seconds(subscription.currentPeriodEnd),
          price: {
            id: subscription.priceId,
            object: 'price',
            currency: subscription.currency,
            billing_scheme: 'per_unit',
            unit_amount: subscription.perSeatAmount,
            tax_behavior: subscription.taxBehavior,
            recurring: { interval: subscription.cycle, interval_count: 1, usage_type: 'licensed' },
          },
        },
      ],
    },
  }
}

/** An invoice as Stripe's events show it (Invoices.d.ts); the fields that are read. */
export function rawInvoice(invoice: ProcessorInvoice): Record<string, unknown> {
  return {
    id: invoice.id,
    object: 'invoice',
    customer: invoice.customerId,
    number: invoice.number,
    status: invoice.status,
    billing_reason: invoice.billingReason,
    currency: invoice.currency,
    subtotal: invoice.subtotal,
    total_discount_amounts: [],
    total_taxes: invoice.taxes.map(rawTax),
    automatic_tax: { enabled: invoice.automaticTax.enabled, status: invoice.automaticTax.status },
    customer_name: invoice.customer.name,
    customer_email: invoice.customer.email,
    customer_address: null,
    customer_tax_ids: invoice.customer.taxIds,
    customer_tax_exempt: invoice.customer.taxExempt,
    starting_balance: 0,
    ending_balance: invoice.balanceApplied,
    effective_at: seconds(invoice.effectiveAt),
    total: invoice.total,
    total_excluding_tax: invoice.totalExcludingTax,
    amount_due: invoice.amountDue,
    amount_paid: invoice.amountPaid,
    amount_remaining: invoice.amountRemaining,
    amount_overpaid: invoice.amountOverpaid,
    post_payment_credit_notes_amount: invoice.creditedAmount,
    pre_payment_credit_notes_amount: 0,
    due_date: seconds(invoice.dueDate),
    next_payment_attempt: seconds(invoice.nextPaymentAttempt),
    attempt_count: invoice.attemptCount,
    created: seconds(invoice.created),
    status_transitions: {
      finalized_at: seconds(invoice.finalizedAt),
      paid_at: seconds(invoice.paidAt),
      voided_at: seconds(invoice.voidedAt),
      marked_uncollectible_at: seconds(invoice.uncollectibleAt),
    },
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: invoice.subscriptionId },
    },
    hosted_invoice_url: invoice.hostedInvoiceUrl,
    invoice_pdf: invoice.invoicePdf,
    lines: {
      object: 'list',
      data: invoice.lines.map((line) => ({
        id: line.id,
        object: 'line_item',
        description: line.description,
        amount: line.amount,
        discount_amounts: [],
        quantity: line.quantity,
        taxes: line.taxes.map(rawTax),
        parent: { subscription_item_details: { proration: line.proration } },
        period: { start: seconds(line.periodStart), end: seconds(line.periodEnd) },
      })),
    },
  }
}

function rawTax(tax: InvoiceTax): Record<string, unknown> {
  return {
    amount: tax.amount,
    taxable_amount: tax.taxableAmount,
    tax_behavior: tax.behavior,
    taxability_reason: tax.reason,
    tax_rate_details: tax.rateId === null ? null : { tax_rate: tax.rateId },
    type: 'tax_rate_details',
  }
}

/**
 * Refunds, credit notes and disputes are always read again; their events need no more than to name
 * them.
 */
export function rawReversal(reversal: ProcessorReversal): Record<string, unknown> {
  return {
    id: reversal.id,
    object: reversal.kind,
    amount: reversal.amount,
    currency: reversal.currency,
  }
}
