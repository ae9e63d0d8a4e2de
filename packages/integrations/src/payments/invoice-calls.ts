import type Stripe from 'stripe'
import type { Call, StripeCalls } from './client.ts'
import { creditNoteLineOf, creditNoteOf } from './credit-note-shape.ts'
import { invoiceOf, lineOf, paymentIntentOf } from './invoice-shape.ts'
import { everyPage, listOf } from './pages.ts'
import type {
  CreditNoteInput,
  Payments,
  ProcessorCreditNote,
  ProcessorInvoice,
  ProcessorReversal,
} from './port.ts'
import { idOf, moment, objectOf, text, whole } from './shapes.ts'
import type { TaxRates } from './tax-shape.ts'

type InvoiceCalls = Pick<
  Payments,
  | 'findInvoice'
  | 'listInvoices'
  | 'payInvoice'
  | 'payOutOfBand'
  | 'markUncollectible'
  | 'createCreditNote'
  | 'voidInvoice'
  | 'findRefund'
  | 'findCreditNote'
  | 'listCreditNotes'
  | 'findDispute'
  | 'findInvoiceOfPayment'
>

export function invoiceCalls({ call }: StripeCalls, rates: TaxRates): InvoiceCalls {
  const invoiceWithAll = async (current: Call, found: Found) =>
    rates.resolve(current, await wholeInvoice(current, found))

  const noteWithAll = async (current: Call, found: FoundNote) =>
    rates.resolve(current, await wholeCreditNote(current, found))

  return {
    findInvoiceOfPayment: (paymentIntentId, options) =>
      call('findInvoiceOfPayment', options, (current) =>
        invoiceOfPayment(current, paymentIntentId),
      ),

    findInvoice: (id, options) =>
      call('findInvoice', options, async (current) => {
        const found = await current.find(
          'GET /v1/invoices/:id',
          (stripe) => stripe.invoices.retrieve(id),
          withMore,
        )
        return found && invoiceWithAll(current, found)
      }),

    listInvoices: (customerId, options) =>
      call('listInvoices', options, async (current) => {
        const found = await everyPage(
          (after) =>
            current.send(
              'GET /v1/invoices',
              (stripe) =>
                stripe.invoices.list({
                  customer: customerId,
                  limit: 100,
                  ...(after !== undefined && { starting_after: after }),
                }),
              listOf,
            ),
          withMore,
        )
        const invoices: ProcessorInvoice[] = []
        for (const one of found) invoices.push(await invoiceWithAll(current, one))
        return invoices
      }),

    payInvoice: (id, { idempotencyKey, ...options }) =>
      call('payInvoice', options, async (current) =>
        invoiceWithAll(
          current,
          await current.send(
            'POST /v1/invoices/:id/pay',
            (stripe) => stripe.invoices.pay(id, {}, { idempotencyKey }),
            withMore,
          ),
        ),
      ),

    payOutOfBand: (id, { idempotencyKey, ...options }) =>
      call('payOutOfBand', options, async (current) =>
        invoiceWithAll(
          current,
          await current.send(
            'POST /v1/invoices/:id/pay',
            (stripe) => stripe.invoices.pay(id, { paid_out_of_band: true }, { idempotencyKey }),
            withMore,
          ),
        ),
      ),

    markUncollectible: (id, { idempotencyKey, ...options }) =>
      call('markUncollectible', options, async (current) =>
        invoiceWithAll(
          current,
          await current.send(
            'POST /v1/invoices/:id/mark_uncollectible',
            (stripe) => stripe.invoices.markUncollectible(id, {}, { idempotencyKey }),
            withMore,
          ),
        ),
      ),

    createCreditNote: (input, { idempotencyKey, ...options }) =>
      call('createCreditNote', options, async (current) =>
        noteWithAll(
          current,
          await current.send(
            'POST /v1/credit_notes',
            (stripe) => stripe.creditNotes.create(creditNoteParameters(input), { idempotencyKey }),
            noteWithMore,
          ),
        ),
      ),

    voidInvoice: (id, { idempotencyKey, ...options }) =>
      call('voidInvoice', options, async (current) =>
        invoiceWithAll(
          current,
          await current.send(
            'POST /v1/invoices/:id/void',
            (stripe) => stripe.invoices.voidInvoice(id, {}, { idempotencyKey }),
            withMore,
          ),
        ),
      ),

    findRefund: (id, options) =>
      call('findRefund', options, async (current) => {
        const refund = await current.find(
          'GET /v1/refunds/:id',
          (stripe) => stripe.refunds.retrieve(id),
          (response) => objectOf(response, 'refund'),
        )
        if (!refund) return undefined
        const status = text(refund.status ?? 'pending', 'status')
        return {
          ...reversalOf('refund', refund),
          invoiceId: await invoiceOfPayment(current, paymentIntentOf(refund.payment_intent)),
          amountExcludingTax: null,
          status,
          effective: status === 'succeeded',
        }
      }),

    findCreditNote: (id, options) =>
      call('findCreditNote', options, async (current) => {
        const found = await current.find(
          'GET /v1/credit_notes/:id',
          (stripe) => stripe.creditNotes.retrieve(id),
          noteWithMore,
        )
        return found && noteWithAll(current, found)
      }),

    listCreditNotes: (invoiceId, options) =>
      call('listCreditNotes', options, async (current) => {
        const found = await everyPage(
          (after) =>
            current.send(
              'GET /v1/credit_notes',
              (stripe) =>
                stripe.creditNotes.list({
                  invoice: invoiceId,
                  limit: 100,
                  ...(after !== undefined && { starting_after: after }),
                }),
              listOf,
            ),
          noteWithMore,
        )
        const notes: ProcessorCreditNote[] = []
        for (const one of found) notes.push(await noteWithAll(current, one))
        return notes
      }),

    findDispute: (id, options) =>
      call('findDispute', options, async (current) => {
        const dispute = await current.find(
          'GET /v1/disputes/:id',
          (stripe) => stripe.disputes.retrieve(id),
          (response) => objectOf(response, 'dispute'),
        )
        if (!dispute) return undefined
        // The bank takes the money with a first entry and gives it back with a second one.
        const moved = dispute.balance_transactions.reduce(
          (sum, entry) => sum + whole(entry.amount, 'balance transaction'),
          0,
        )
        return {
          ...reversalOf('dispute', dispute),
          invoiceId: await invoiceOfPayment(current, paymentIntentOf(dispute.payment_intent)),
          amountExcludingTax: null,
          status: text(dispute.status, 'status'),
          effective: moved < 0,
        }
      }),
  }
}

interface Found {
  invoice: ProcessorInvoice
  more: boolean
}

function withMore(response: Stripe.Invoice): Found {
  return { invoice: invoiceOf(response), more: response.lines.has_more }
}

/** An invoice shows its first ten lines; the rest is asked for. */
async function wholeInvoice({ send }: Call, { invoice, more }: Found): Promise<ProcessorInvoice> {
  if (!more) return invoice
  const lines = await everyPage(
    (after) =>
      send(
        'GET /v1/invoices/:id/lines',
        (stripe) =>
          stripe.invoices.listLineItems(invoice.id, {
            limit: 100,
            ...(after !== undefined && { starting_after: after }),
          }),
        listOf,
      ),
    lineOf,
  )
  const regular = lines.find(({ proration }) => !proration) ?? lines.at(-1)
  return {
    ...invoice,
    lines,
    periodStart: regular?.periodStart ?? null,
    periodEnd: regular?.periodEnd ?? null,
  }
}

function reversalOf<K extends ProcessorReversal['kind']>(
  kind: K,
  {
    id,
    currency,
    amount,
    created,
  }: { id: string; currency: string; amount: number; created: number },
) {
  return {
    id: text(id, 'id'),
    kind,
    currency: text(currency, 'currency'),
    amount: whole(amount, 'amount'),
    created: moment(created, 'created'),
  }
}

/** Without a mail of the processor's: our own tells the customer. Amounts of 0 are left out. */
function creditNoteParameters(input: CreditNoteInput): Stripe.CreditNoteCreateParams {
  const { invoiceId, amount, refundAmount, balanceAmount, outOfBandAmount, reason } = input
  return {
    invoice: invoiceId,
    amount,
    ...(refundAmount > 0 && { refund_amount: refundAmount }),
    ...(balanceAmount > 0 && { credit_amount: balanceAmount }),
    ...(outOfBandAmount > 0 && { out_of_band_amount: outOfBandAmount }),
    ...(reason !== null && { reason }),
    email_type: 'none',
    metadata: { correctionId: input.correctionId },
  }
}

interface FoundNote {
  note: ProcessorCreditNote
  more: boolean
}

function noteWithMore(response: Stripe.CreditNote): FoundNote {
  return { note: creditNoteOf(response), more: response.lines.has_more }
}

/** A credit note shows its first ten lines; the rest is asked for. */
async function wholeCreditNote(
  { send }: Call,
  { note, more }: FoundNote,
): Promise<ProcessorCreditNote> {
  if (!more) return note
  const lines = await everyPage(
    (after) =>
      send(
        'GET /v1/credit_notes/:id/lines',
        (stripe) =>
          stripe.creditNotes.listLineItems(note.id, {
            limit: 100,
            ...(after !== undefined && { starting_after: after }),
          }),
        listOf,
      ),
    creditNoteLineOf,
  )
  return { ...note, lines }
}

/** A refund and a dispute name the payment. The payments of invoices show which invoice it paid. */
async function invoiceOfPayment(
  { send }: Call,
  paymentIntent: string | null,
): Promise<string | null> {
  if (paymentIntent === null) return null
  const payments = await send(
    'GET /v1/invoice_payments',
    (stripe) =>
      stripe.invoicePayments.list({
        payment: { type: 'payment_intent', payment_intent: paymentIntent },
        limit: 1,
      }),
    listOf,
  )
  const payment = payments.data[0]
  return payment ? idOf(payment.invoice, 'invoice') : null
}
