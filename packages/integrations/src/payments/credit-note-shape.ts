import type Stripe from 'stripe'
import type { ProcessorCreditNote, ProcessorCreditNoteLine } from './port.ts'
import { idOf, moment, objectOf, optionalMoment, sumOf, text, whole } from './shapes.ts'
import { sumOfTaxes, taxesOf } from './tax-shape.ts'

/**
 * A credit note before the payment lowers the amount due; only the part after the payment can
 * return money. Refunds in that part count by themselves. Credit to the customer's balance returns
 * no money: it pays later invoices, whose `amountPaid` leaves it out. So only what was returned
 * outside of the processor counts as the reversal's amount.
 */
export function creditNoteOf(response: Stripe.CreditNote): ProcessorCreditNote {
  const note = objectOf(response, 'credit_note')
  const outOfBandAmount = whole(note.out_of_band_amount ?? 0, 'out_of_band_amount')
  const total = whole(note.total, 'total')
  const taxes = taxesOf(note.total_taxes)
  const tax = sumOfTaxes(taxes)
  const created = moment(note.created, 'created')
  const whollyReturned = outOfBandAmount === total || outOfBandAmount === 0
  return {
    id: text(note.id, 'id'),
    kind: 'credit_note',
    invoiceId: idOf(note.invoice, 'invoice'),
    customerId: idOf(note.customer, 'customer'),
    currency: text(note.currency, 'currency'),
    amount: outOfBandAmount === 0 ? total : outOfBandAmount,
    amountExcludingTax: whollyReturned ? note.total_excluding_tax : null,
    status: text(note.status, 'status'),
    effective: note.status === 'issued' && outOfBandAmount > 0,
    created,
    number: text(note.number, 'number'),
    reason: note.reason,
    memo: note.memo,
    subtotal: whole(note.subtotal, 'subtotal'),
    discount: whole(note.discount_amount, 'discount_amount'),
    tax,
    taxes,
    total,
    totalExcludingTax: whole(note.total_excluding_tax ?? total - tax, 'total_excluding_tax'),
    prePaymentAmount: whole(note.pre_payment_amount, 'pre_payment_amount'),
    postPaymentAmount: whole(note.post_payment_amount, 'post_payment_amount'),
    outOfBandAmount,
    refundIds: note.refunds.map(({ refund }) => idOf(refund, 'refund')),
    refundedAmount: note.refunds.reduce(
      (sum, { amount_refunded }) => sum + whole(amount_refunded, 'amount_refunded'),
      0,
    ),
    metadata: note.metadata ?? {},
    effectiveAt: optionalMoment(note.effective_at, 'effective_at') ?? created,
    voidedAt: optionalMoment(note.voided_at, 'voided_at'),
    pdf: note.pdf,
    lines: note.lines.data.map(creditNoteLineOf),
  }
}

export function creditNoteLineOf(line: Stripe.CreditNoteLineItem): ProcessorCreditNoteLine {
  return {
    id: text(line.id, 'line id'),
    description: line.description,
    amount: whole(line.amount, 'amount'),
    discount: sumOf(line.discount_amounts),
    quantity: line.quantity,
    unitAmount: line.unit_amount_decimal?.toString() ?? null,
    invoiceLineId: line.invoice_line_item ?? null,
    taxes: taxesOf(line.taxes),
  }
}
