import { stepFailureText } from '@atrium/core/platform/failure-text'
import {
  type CorrectionRow,
  claimCorrection,
  findCorrection,
  findDueCorrections,
  finishCorrection,
  putOffCorrection,
} from '@atrium/db/billing/invoice-corrections'
import { readMirroredInvoice } from '@atrium/db/billing/invoices'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import type { Payments, ProcessorCreditNote } from '@atrium/integrations/payments/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import { portalLink } from '../../platform/links.ts'
import { retryDelaySeconds } from '../../platform/retry-delay.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { paymentDeadline } from '../invoices/failures.ts'
import { billedTenant, sendBillingMail } from '../invoices/mails.ts'
import { mirrorInvoice, mirrorReversal } from '../invoices/mirror.ts'
import { readAnew } from '../invoices/pay.ts'
import { actionOf, correctionEntry } from './record.ts'

/** Longer than the calls of a correction take together; a process that dies leaves it to others. */
const leaseSeconds = 90
const firstRetrySeconds = 30
const atOnce = 50

/** Who carries it out; nobody for the job. */
interface Actor {
  ctx: Context
  caller: Caller
}

/** Finishes approved corrections whose answer was lost, or that the processor could not take. */
export async function carryOutCorrections(services: Services): Promise<void> {
  for (const id of await findDueCorrections(services.database.db, atOnce)) {
    if (services.background.ending) return
    await carryOutCorrection(services, id)
  }
}

/**
 * Carries out an approved correction at the payment processor, once, whatever happens in between:
 * the key of the call is the correction's, and on a further try what the processor has is looked at
 * first, because it forgets keys after a day. A rejection ends it; a failure that passes leaves it
 * to the job. Nothing happens when another process is at it.
 */
export async function carryOutCorrection(
  services: Services,
  id: string,
  actor?: Actor,
): Promise<void> {
  const { db } = services.database
  const correction = await claimCorrection(db, id, leaseSeconds)
  if (!correction) return
  const { payments } = services.systems
  const later = (error: string) =>
    putOffCorrection(db, id, error, retryDelaySeconds(correction.attempts, firstRetrySeconds))
  if (payments === null) {
    await later(stepFailureText('noPayments'))
    return
  }
  try {
    const signal = paymentDeadline()
    const note = await actAtProcessor(payments, correction, signal)
    await keep(services, payments, correction, { note, actor, signal })
    await readAnew(services, payments, correction, signal)
  } catch (error) {
    if (isTransient(error)) {
      services.log.warn({ err: error, correction: id }, 'a correction waits for the processor')
      await later(error.message)
      return
    }
    if (!(error instanceof UpstreamError || error instanceof PaymentDeclined)) {
      await later(stepFailureText('unforeseen'))
      throw error
    }
    const { message } = error
    await db.transaction().execute(async (trx) => {
      await finishCorrection(trx, id, { state: 'failed', error: message }, services.clock.now())
      await record(trx, services, id, actor, 'failure')
    })
  }
}

/** Returns the credit note of a correction that has one. */
async function actAtProcessor(
  payments: Payments,
  correction: CorrectionRow,
  signal: AbortSignal,
): Promise<ProcessorCreditNote | null> {
  const { stripeInvoiceId: invoiceId, id, kind } = correction
  const options = { idempotencyKey: `correction:${id}`, signal }
  if (kind === 'credit') {
    const made =
      correction.attempts > 1 ? await payments.listCreditNotes(invoiceId, { signal }) : []
    const known = made.find(({ metadata }) => metadata.correctionId === id)
    return known ?? payments.createCreditNote(toCreditNote(correction), options)
  }
  const before = correction.attempts > 1 && (await payments.findInvoice(invoiceId, { signal }))
  if (before && before.status === outcomes[kind]) return null
  if (kind === 'write_off') await payments.markUncollectible(invoiceId, options)
  else if (kind === 'void') await payments.voidInvoice(invoiceId, options)
  else await payments.payOutOfBand(invoiceId, options)
  return null
}

const outcomes = { write_off: 'uncollectible', void: 'void', transfer: 'paid' } as const

function toCreditNote({ stripeInvoiceId, destination, category, amount, id }: CorrectionRow) {
  const part = (one: CorrectionRow['destination']) => (destination === one ? Number(amount) : 0)
  return {
    invoiceId: stripeInvoiceId,
    amount: Number(amount),
    refundAmount: part('card'),
    balanceAmount: part('balance'),
    outOfBandAmount: part('outside'),
    reason: category,
    correctionId: id,
  }
}

/** Mirrors what the act changed, notes that it is done, and records it, in one transaction. */
async function keep(
  services: Services,
  payments: Payments,
  correction: CorrectionRow,
  {
    note,
    actor,
    signal,
  }: { note: ProcessorCreditNote | null; actor: Actor | undefined; signal: AbortSignal },
): Promise<void> {
  const { id, stripeInvoiceId } = correction
  const { db } = services.database
  const readAt = await databaseNow(db)
  const invoice = await payments.findInvoice(stripeInvoiceId, { signal })
  const refunds = await Promise.all(
    (note?.refundIds ?? []).map((refundId) => payments.findRefund(refundId, { signal })),
  )
  await db.transaction().execute(async (trx) => {
    if (invoice) await mirrorInvoice(trx, services, invoice, readAt)
    const { id: invoiceId } = await readMirroredInvoice(trx, stripeInvoiceId)
    for (const reversal of [note, ...refunds])
      if (reversal) await mirrorReversal(trx, services, invoiceId, reversal, readAt)
    const outcome = { state: 'done', creditNoteId: note?.id ?? null } as const
    await finishCorrection(trx, id, outcome, services.clock.now())
    if (correction.kind === 'transfer') await sendReceipt(trx, services, correction, invoiceId)
    await record(trx, services, id, actor, 'success')
  })
}

/**
 * The receipt that a payment by card brings, under its key: the event of the payment sends no
 * other.
 */
async function sendReceipt(
  trx: Trx,
  services: InTransaction,
  { tenantId, invoiceNumber, amount, currency }: CorrectionRow,
  invoiceId: string,
): Promise<void> {
  const tenant = await findCustomerTenant(trx, tenantId)
  if (!tenant) return
  const link = portalLink(services.config, `/t/${tenant.slug}/billing`)
  const paid = { template: 'invoice.paid', amount: BigInt(amount), currency, link } as const
  const mail = { ...paid, number: invoiceNumber ?? '' }
  await sendBillingMail(trx, services, billedTenant(tenant), mail, invoiceId)
}

async function record(
  trx: Trx,
  services: InTransaction,
  id: string,
  actor: Actor | undefined,
  outcome: 'success' | 'failure',
): Promise<void> {
  const row = await findCorrection(trx, id)
  if (!row) return
  const entry = correctionEntry(actionOf(row), row)
  const { error } = row
  const auditEntry = {
    ...entry,
    outcome,
    metadata: { ...entry.metadata, ...(error === null ? {} : { error }) },
  }
  if (actor) await services.audit.record(actor.ctx, actor.caller, auditEntry, trx)
  else await services.audit.recordSystem(auditEntry, trx)
}
