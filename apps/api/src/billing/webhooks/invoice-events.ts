import { stepFailureText } from '@atrium/core/platform/failure-text'
import { readMirroredInvoice, voidDeletedDraft } from '@atrium/db/billing/invoices'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import type { Trx } from '@atrium/db/platform/connect'
import type { CallOptions } from '@atrium/integrations/call-options'
import type {
  Payments,
  ProcessorCreditNote,
  ProcessorInvoice,
  ProcessorReversal,
} from '@atrium/integrations/payments/port'
import { snapshotOf } from '@atrium/integrations/payments/snapshots'
import { portalLink } from '../../platform/links.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { documentCreditNote } from '../documents/issue.ts'
import { billedTenant, sendBillingMail } from '../invoices/mails.ts'
import { type MirroredInvoice, mirrorInvoice, mirrorReversal } from '../invoices/mirror.ts'
import {
  applied,
  type EventWork,
  goneThere,
  needsKeys,
  type Outcome,
  skipped,
  stale,
  unknownTenant,
} from './outcome.ts'

/**
 * Keeps the invoice as the processor has it now, and mails the receipt or the request to confirm a
 * payment.
 */
export async function invoiceChanged(work: EventWork): Promise<Outcome> {
  const { services, event, payments } = work
  const found = payments ? await payments.findInvoice(event.objectId ?? '') : shown(work)
  if (!found) return goneThere
  const readAt = payments ? event.claimedAt : event.created
  const outcome = await services.database.db.transaction().execute(async (trx) => {
    const made = await mirrorInvoice(trx, services, found, readAt)
    // A later reading that stands already was for another event: the mail is this one's.
    const about = made === 'stale' ? await readMirroredInvoice(trx, found.id) : made
    if (typeof about === 'object') await mailAbout(work, trx, about, found)
    return made
  })
  if (outcome === 'unknown_tenant') return unknownTenant
  if (outcome === 'stale') return stale
  if (event.type === 'invoice.finalization_failed') {
    return {
      state: 'applied',
      note: stepFailureText('finalizationFailed', finalizationFault(work)),
    }
  }
  return applied
}

function shown({ event }: EventWork): ProcessorInvoice | undefined {
  const snapshot = snapshotOf(event.payload)
  return snapshot?.kind === 'invoice' ? snapshot.invoice : undefined
}

/**
 * The processor's word for the fault, which is one of its own list; its sentence may quote what
 * people entered.
 */
function finalizationFault({ object }: EventWork): string {
  const fault = object.last_finalization_error
  const code: unknown =
    typeof fault === 'object' && fault !== null ? Reflect.get(fault, 'code') : undefined
  return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : 'unknown'
}

async function mailAbout(
  { services, event }: EventWork,
  trx: Trx,
  { id, tenantId, status }: Pick<MirroredInvoice, 'id' | 'tenantId' | 'status'>,
  invoice: ProcessorInvoice,
): Promise<void> {
  const paid = event.type === 'invoice.paid' && status === 'paid' && invoice.amountPaid > 0
  const waits = event.type === 'invoice.payment_action_required' && status === 'open'
  if (!paid && !waits) return
  const tenant = await findCustomerTenant(trx, tenantId)
  if (!tenant) return
  const billed = billedTenant(tenant)
  const template = paid ? 'invoice.paid' : 'invoice.action_required'
  const amount = BigInt(paid ? invoice.amountPaid : invoice.amountRemaining)
  const mail = {
    template,
    number: invoice.number ?? '',
    amount,
    currency: invoice.currency,
    // The receipt leads to our documents; what still has to be paid, to the processor's page.
    link:
      (paid && portalLink(services.config, `/t/${tenant.slug}/billing`)) ||
      (invoice.hostedInvoiceUrl ?? ''),
  } as const
  await sendBillingMail(trx, services, billed, mail, paid ? id : `${id}:${invoice.attemptCount}`)
}

/** Only drafts can be deleted. */
export async function invoiceDeleted({ services, event }: EventWork): Promise<Outcome> {
  const at = event.created
  const voided = await services.database.db
    .transaction()
    .execute((trx) => voidDeletedDraft(trx, event.objectId ?? '', at))
  return voided ? applied : skipped('draftUnknown')
}

type FindReversal = (
  payments: Payments,
  id: string,
  options?: CallOptions,
) => Promise<ProcessorReversal | ProcessorCreditNote | undefined>

const isCreditNote = (
  reversal: ProcessorReversal | ProcessorCreditNote,
): reversal is ProcessorCreditNote => 'lines' in reversal

export const refundChanged = (work: EventWork) =>
  reversalChanged(work, (payments, id) => payments.findRefund(id))
export const creditNoteChanged = (work: EventWork) =>
  reversalChanged(work, (payments, id) => payments.findCreditNote(id))
export const disputeChanged = (work: EventWork) =>
  reversalChanged(work, (payments, id) => payments.findDispute(id))

/**
 * Keeps what is given or taken back of an invoice, with the invoice itself, which may not have come
 * yet.
 */
async function reversalChanged(
  { services, event, payments }: EventWork,
  find: FindReversal,
): Promise<Outcome> {
  if (!payments) return needsKeys
  const reversal = await find(payments, event.objectId ?? '')
  if (!reversal) return goneThere
  if (reversal.invoiceId === null) return skipped('invoiceMissing')
  const invoice = await payments.findInvoice(reversal.invoiceId)
  if (!invoice) return goneThere
  return services.database.db.transaction().execute(async (trx) => {
    const made = await mirrorInvoice(trx, services, invoice, event.claimedAt)
    if (made === 'unknown_tenant') return unknownTenant
    const { id: invoiceId, tenantId } =
      made === 'stale' ? await readMirroredInvoice(trx, invoice.id) : made
    if (isCreditNote(reversal))
      await documentCreditNote(trx, services, { tenantId, invoiceId }, reversal, invoice)
    await mailAboutReversal(trx, services, tenantId, invoice, reversal)
    return (await mirrorReversal(trx, services, invoiceId, reversal, event.claimedAt))
      ? applied
      : stale
  })
}

/**
 * Mails billing contact and owner about a refund once it has succeeded, and about a credit note
 * once it is issued; each once.
 */
async function mailAboutReversal(
  trx: Trx,
  services: InTransaction,
  tenantId: string,
  invoice: ProcessorInvoice,
  { id, kind, status, amount, currency }: ProcessorReversal,
): Promise<void> {
  const refunded = kind === 'refund' && status === 'succeeded'
  const credited = kind === 'credit_note' && status === 'issued'
  if (!refunded && !credited) return
  const tenant = await findCustomerTenant(trx, tenantId)
  if (!tenant) return
  const mail = {
    template: refunded ? 'invoice.refunded' : 'invoice.credited',
    number: invoice.number ?? '',
    amount: BigInt(amount),
    currency,
    link: invoice.hostedInvoiceUrl ?? '',
  } as const
  await sendBillingMail(trx, services, billedTenant(tenant), mail, id)
}
