import { settlePaid } from './collection.ts'
import { invalid } from './faults.ts'
import { remaining, totalOf, totalTaxesOf } from './invoice-amounts.ts'
import { creditNoteView, disputeView, refundView } from './invoice-views.ts'
import { markPaid, tellInvoice } from './invoicing.ts'
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

/** Gives money of a paid invoice back; all that is left of it when no amount is named. */
export function refund(
  world: PaymentsWorld,
  invoice: Invoice,
  amount: number | undefined,
  status: 'pending' | 'succeeded',
): Refund {
  paidByCard(invoice)
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
  made.status = status
  made.failureReason = status === 'failed' ? 'lost_or_stolen_card' : null
  world.emit('refund.updated', refundView(world.store, made))
  if (status === 'failed') world.emit('refund.failed', refundView(world.store, made))
}

/**
 * Of an open invoice it lowers what is owed. Of a paid one it is put down for the next invoices,
 * goes back to the card as a refund of its own, or is given back outside of the processor. `amount`
 * is with tax.
 */
export function creditNote(
  world: PaymentsWorld,
  invoice: Invoice,
  amount: number,
  to: 'balance' | 'card' | 'outside',
): CreditNote {
  if (invoice.status !== 'open' && invoice.status !== 'paid')
    throw invalid(`A credit note needs an open or paid invoice; this one is ${invoice.status}.`)
  const total = totalOf(invoice)
  const left =
    invoice.status === 'paid'
      ? total - invoice.postPaymentCredit - invoice.prePaymentCredit
      : remaining(invoice)
  if (amount <= 0 || amount > left)
    throw invalid(`The credit note may be ${left} at most.`, { param: 'amount' })
  const paid = invoice.status === 'paid'
  const back = paid && to === 'card' ? refund(world, invoice, amount, 'succeeded') : null
  if (paid && to === 'balance') world.store.customers.get(invoice.customer).balance -= amount
  world.store.creditNoteCount += 1
  const note = world.store.creditNotes.add({
    id: newId('cn'),
    number: `SANDBOX-CN-${String(world.store.creditNoteCount).padStart(4, '0')}`,
    invoice: invoice.id,
    customer: invoice.customer,
    currency: invoice.currency,
    total: amount,
    lines: linesFor(invoice, amount),
    postPayment: paid ? amount : 0,
    outOfBand: paid && to === 'outside' ? amount : 0,
    refund: back?.id ?? null,
    status: 'issued',
    voidedAt: null,
    created: world.now(),
  })
  if (paid) invoice.postPaymentCredit += amount
  else lowerDue(invoice, amount)
  world.emit('credit_note.created', creditNoteView(note, world.origin()))
  tellInvoice(world, 'invoice.updated', invoice)
  if (!paid && invoice.amountDue === 0) {
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
    world.store.customers.get(note.customer).balance += note.postPayment - note.outOfBand
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
    movements: [{ id: newId('txn'), amount: -taken, created: now }],
    created: now,
  })
  world.emit('charge.dispute.created', disputeView(world.store, made))
  world.emit('charge.dispute.funds_withdrawn', disputeView(world.store, made))
  return made
}

export function closeDispute(world: PaymentsWorld, made: Dispute, outcome: 'won' | 'lost'): void {
  if (made.status === 'won' || made.status === 'lost')
    throw invalid('This dispute is closed already.')
  made.status = outcome
  if (outcome === 'won')
    made.movements.push({ id: newId('txn'), amount: made.amount, created: world.now() })
  world.emit('charge.dispute.closed', disputeView(world.store, made))
  if (outcome === 'won')
    world.emit('charge.dispute.funds_reinstated', disputeView(world.store, made))
}

/** As much of a charge as an event about it needs. */
function chargeView(world: PaymentsWorld, invoice: Invoice): object {
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
