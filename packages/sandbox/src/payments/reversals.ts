import { recordDispute, recordRefund } from './balance.ts'
import { settlePaid } from './collection.ts'
import { invalid } from './faults.ts'
import { remaining, totalOf, totalTaxesOf } from './invoice-amounts.ts'
import { creditNoteView, disputeView, refundView } from './invoice-views.ts'
import { markPaid, moveBalance, tellInvoice } from './invoicing.ts'
import { partOf } from './proration.ts'
import type { CreditNote, CreditNoteLine, Dispute, Invoice, Refund } from './records.ts'
import { newId } from './store.ts'
import type { PaymentsWorld } from './world.ts'

/** Money that went back and is not there any more. */
function refundedOf(world: PaymentsWorld, invoice: Invoice): number {
  return world.store.refunds
    .all()
    .filter((one) => one.invoice === invoice.id && one.status !== 'failed')
    .reduce((sum, one) => sum + one.amount, 0)
}

function paidByCard(invoice: Invoice): void {
  if (invoice.status !== 'paid' || invoice.payment?.status !== 'succeeded')
    throw invalid('Only an invoice that was paid by card has a charge.')
}

/** What the bank took back or still may is not refunded beside it. */
function rejectDisputed(world: PaymentsWorld, invoice: Invoice): void {
  const disputed = world.store.disputes
    .all()
    .some((one) => one.invoice === invoice.id && one.status !== 'won')
  if (disputed)
    throw invalid(
      `Charge ${invoice.payment?.charge ?? ''} has been charged back; cannot issue a refund.`,
      { code: 'charge_disputed' },
    )
}

/** Refunds a paid invoice: the given amount, or all that is left. */
export function refund(
  world: PaymentsWorld,
  invoice: Invoice,
  amount: number | undefined,
  status: 'pending' | 'succeeded',
): Refund {
  paidByCard(invoice)
  rejectDisputed(world, invoice)
  const left = invoice.amountPaid - refundedOf(world, invoice)
  const provided = amount ?? left
  if (provided <= 0 || provided > left)
    throw invalid(
      `Refund amount (${provided}) is greater than unrefunded amount on charge (${left})`,
      { param: 'amount' },
    )
  const made = world.store.refunds.add({
    id: newId('re'),
    invoice: invoice.id,
    amount: provided,
    currency: invoice.currency,
    status,
    failureReason: null,
    created: world.now(),
  })
  recordRefund(world, made, false)
  world.emit('refund.created', refundView(world.store, made))
  world.emit('charge.refunded', chargeView(world, invoice))
  return made
}

/** What became of a refund: banks take days, and reject some. */
export function settleRefund(
  world: PaymentsWorld,
  made: Refund,
  status: 'succeeded' | 'failed',
): void {
  if (status === 'failed' && made.status !== 'failed') recordRefund(world, made, true)
  made.status = status
  made.failureReason = status === 'failed' ? 'lost_or_stolen_card' : null
  world.emit('refund.updated', refundView(world.store, made))
  if (status === 'failed') world.emit('refund.failed', refundView(world.store, made))
}

/** What a credit note is asked for; amounts with tax, 0 for none. */
export interface CreditNoteRequest {
  amount: number
  refund: number
  balance: number
  outside: number
  reason?: string | null
  memo?: string | null
  metadata?: Record<string, string>
}

/**
 * First lowers what is still due. What goes beyond it was paid: it goes back to the card as a
 * refund of its own, is put down for the next invoices, or is given back outside of the processor.
 * The three parts add up to it, or nothing happens.
 */
export function creditNote(
  world: PaymentsWorld,
  invoice: Invoice,
  requested: CreditNoteRequest,
): CreditNote {
  if (invoice.status !== 'open' && invoice.status !== 'paid')
    throw invalid(
      `You can only create a credit note for an open or paid invoice; this one is ${invoice.status}.`,
    )
  const { amount, refund: toCard, balance, outside } = requested
  const total = totalOf(invoice)
  const due = invoice.status === 'open' ? remaining(invoice) : 0
  const left =
    invoice.status === 'paid' ? total - invoice.postPaymentCredit - invoice.prePaymentCredit : due
  if (amount <= 0 || amount > left)
    throw invalid(
      `The sum of credit note amounts cannot exceed what is creditable of the invoice (${left}).`,
      { param: 'amount' },
    )
  const before = Math.min(amount, due)
  const after = amount - before
  if (toCard + balance + outside !== after)
    throw invalid(
      `The sum of credit amount, refund amount and out of band amount (${toCard + balance + outside}) must equal the credit note amount (${after}).`,
    )
  const back = toCard > 0 ? refund(world, invoice, toCard, 'succeeded') : null
  moveBalance(world, world.store.customers.get(invoice.customer), -balance)
  world.store.creditNoteCount += 1
  const note = world.store.creditNotes.add({
    id: newId('cn'),
    number: `SANDBOX-CN-${String(world.store.creditNoteCount).padStart(4, '0')}`,
    invoice: invoice.id,
    customer: invoice.customer,
    currency: invoice.currency,
    total: amount,
    lines: linesFor(invoice, amount),
    postPayment: after,
    outOfBand: outside,
    refund: back?.id ?? null,
    refunded: toCard,
    reason: requested.reason === undefined ? 'order_change' : requested.reason,
    memo: requested.memo ?? null,
    metadata: requested.metadata ?? {},
    status: 'issued',
    voidedAt: null,
    created: world.now(),
  })
  invoice.postPaymentCredit += after
  if (before > 0) lowerDue(invoice, before)
  world.emit('credit_note.created', creditNoteView(note, world.origin()))
  tellInvoice(world, 'invoice.updated', invoice)
  if (before > 0 && invoice.amountDue === 0) {
    markPaid(world, invoice)
    settlePaid(world, invoice)
  }
  return note
}

/**
 * One line for a part of the invoice's total, with that part of its taxes. The lines of a whole
 * credit are those of the invoice.
 */
function linesFor(invoice: Invoice, amount: number): CreditNoteLine[] {
  const total = totalOf(invoice)
  if (amount === total)
    return invoice.lines.map(({ id, description, amount: whole, quantity, taxes }) => ({
      id: newId('cnli'),
      description,
      amount: whole,
      quantity,
      invoiceLine: id,
      taxes,
    }))
  const taxes = totalTaxesOf(invoice).map((tax) => ({
    ...tax,
    amount: partOf(tax.amount, amount, total),
    taxableAmount: partOf(tax.taxableAmount, amount, total),
  }))
  const added = taxes.reduce((sum, tax) => sum + (tax.inclusive ? 0 : tax.amount), 0)
  return [
    {
      id: newId('cnli'),
      description: `Part of invoice ${invoice.number ?? invoice.id}`,
      amount: amount - added,
      quantity: 1,
      invoiceLine: null,
      taxes,
    },
  ]
}

function lowerDue(invoice: Invoice, amount: number): void {
  invoice.prePaymentCredit += amount
  invoice.amountDue -= amount
}

/** Money that went back to the card stays there. */
export function voidCreditNote(world: PaymentsWorld, note: CreditNote): void {
  if (note.status === 'void') throw invalid('This credit note is void already.')
  if (note.refund !== null)
    throw invalid('You cannot void a credit note whose money was given back.')
  const invoice = world.store.invoices.get(note.invoice)
  Object.assign(note, { status: 'void', voidedAt: world.now() })
  if (note.postPayment > 0) {
    invoice.postPaymentCredit -= note.postPayment
    moveBalance(
      world,
      world.store.customers.get(note.customer),
      note.postPayment - note.outOfBand - note.refunded,
    )
  } else {
    invoice.prePaymentCredit -= note.total
    invoice.amountDue += note.total
  }
  world.emit('credit_note.voided', creditNoteView(note, world.origin()))
  tellInvoice(world, 'invoice.updated', invoice)
}

/** The card's holder wants the money back, and the bank takes it at once. */
export function dispute(
  world: PaymentsWorld,
  invoice: Invoice,
  amount: number | undefined,
): Dispute {
  paidByCard(invoice)
  const now = world.now()
  const taken = amount ?? invoice.amountPaid - refundedOf(world, invoice)
  if (taken <= 0 || taken > invoice.amountPaid)
    throw invalid('The amount is more than was paid.', { param: 'amount' })
  const made = world.store.disputes.add({
    id: newId('du'),
    invoice: invoice.id,
    amount: taken,
    currency: invoice.currency,
    status: 'needs_response',
    movements: [],
    created: now,
  })
  made.movements.push(recordDispute(world, made, false).id)
  world.emit('charge.dispute.created', disputeView(world.store, made))
  world.emit('charge.dispute.funds_withdrawn', disputeView(world.store, made))
  return made
}

export function closeDispute(world: PaymentsWorld, made: Dispute, outcome: 'won' | 'lost'): void {
  if (made.status === 'won' || made.status === 'lost')
    throw invalid('This dispute is closed already.')
  made.status = outcome
  if (outcome === 'won') made.movements.push(recordDispute(world, made, true).id)
  world.emit('charge.dispute.closed', disputeView(world.store, made))
  if (outcome === 'won')
    world.emit('charge.dispute.funds_reinstated', disputeView(world.store, made))
}

/** As much of a charge as an event about it needs. */
export function chargeView(world: PaymentsWorld, invoice: Invoice): object {
  const refunded = refundedOf(world, invoice)
  return {
    id: invoice.payment?.charge ?? null,
    object: 'charge',
    amount: invoice.amountPaid,
    amount_captured: invoice.amountPaid,
    amount_refunded: refunded,
    captured: true,
    created: invoice.paidAt,
    currency: invoice.currency,
    customer: invoice.customer,
    disputed: false,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: invoice.payment?.id ?? null,
    payment_method: invoice.payment?.paymentMethod ?? null,
    refunded: refunded === invoice.amountPaid,
    status: 'succeeded',
  }
}
