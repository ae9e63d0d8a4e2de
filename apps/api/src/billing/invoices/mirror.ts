import { type InvoiceStatus, invoiceStatuses } from '@atrium/core/billing/billing'
import { findEarningPartner } from '@atrium/db/billing/billing'
import {
  type InvoiceFields,
  type InvoiceRow,
  insertInvoice,
  lockInvoiceByStripeId,
  saveReversal,
  setInvoicePartner,
  sumReversals,
  updateInvoice,
} from '@atrium/db/billing/invoices'
import { setContainedTax } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type {
  ProcessorCreditNote,
  ProcessorInvoice,
  ProcessorReversal,
} from '@atrium/integrations/payments/port'
import type { InTransaction } from '../../rpc/services.ts'
import { documentInvoice } from '../documents/issue.ts'
import { marginAt } from '../payouts/margins.ts'
import { settleInvoiceLedger } from '../payouts/settle.ts'
import { findTenantOf } from './tenant-of.ts'

export interface MirroredInvoice {
  id: string
  tenantId: string
  before: InvoiceRow | undefined
  status: InvoiceStatus
}

/**
 * Keeps an invoice as it was read at `readAt` and settles what a partner earns from it, in the
 * caller's transaction. `unknown_tenant` when it belongs to nobody here; `stale` when a later
 * reading stands already, or a void one would come back.
 */
export async function mirrorInvoice(
  trx: Trx,
  services: InTransaction,
  invoice: ProcessorInvoice,
  readAt: Date,
): Promise<MirroredInvoice | 'unknown_tenant' | 'stale'> {
  const tenantId = await findTenantOf(trx, {
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId,
    metadataTenantId: undefined,
  })
  if (tenantId === undefined) return 'unknown_tenant'
  const fields = toFields(invoice, tenantId, readAt)
  const inserted = await insertInvoice(trx, fields)
  const before = inserted === undefined ? await lockInvoiceByStripeId(trx, invoice.id) : undefined
  const id = inserted ?? before?.id
  if (id === undefined) throw new Error('an invoice is never deleted')
  if (before && !supersedes(fields, before)) return 'stale'
  if (before) await updateInvoice(trx, id, fields)
  if (fields.finalizedAt && !before?.finalizedAt)
    await rememberPartner(trx, id, tenantId, fields.finalizedAt)
  await noteContainedTax(trx, invoice)
  await settleInvoiceLedger(trx, services, id)
  await documentInvoice(
    trx,
    services,
    { tenantId: before?.tenantId ?? tenantId, invoiceId: id },
    invoice,
  )
  return { id, tenantId: before?.tenantId ?? tenantId, before, status: fields.status }
}

/** Recurring revenue of a price that contains tax is reported without it. */
async function noteContainedTax(
  trx: Trx,
  { subscriptionId, finalizedAt, taxes }: ProcessorInvoice,
): Promise<void> {
  const contained = taxes.filter(({ behavior }) => behavior === 'inclusive')
  // An invoice that is known from an event alone names its rates, but not their percent.
  if (contained.length === 0 || contained.some(({ rate }) => rate === null)) return
  if (subscriptionId === null || finalizedAt === null) return
  const percent = contained.reduce((sum, { rate }) => sum + (rate?.percent ?? 0), 0)
  await setContainedTax(trx, subscriptionId, { percent, finalizedAt })
}

/**
 * Keeps what was given or taken back of a mirrored invoice and settles the ledger. False when a
 * later reading stands already.
 */
export async function mirrorReversal(
  trx: Trx,
  services: InTransaction,
  invoiceId: string,
  reversal: ProcessorReversal | ProcessorCreditNote,
  readAt: Date,
): Promise<boolean> {
  const saved = await saveReversal(trx, {
    id: reversal.id,
    invoiceId,
    kind: reversal.kind,
    amount: reversal.amount,
    amountExcludingTax: reversal.amountExcludingTax,
    status: reversal.status,
    effective: reversal.effective,
    createdAt: reversal.created,
    readAt,
    ...(isCreditNote(reversal) && { note: partsOf(reversal) }),
  })
  if (!saved) return false
  await sumReversals(trx, invoiceId)
  await settleInvoiceLedger(trx, services, invoiceId)
  return true
}

function isCreditNote(
  reversal: ProcessorReversal | ProcessorCreditNote,
): reversal is ProcessorCreditNote {
  return reversal.kind === 'credit_note' && 'refundIds' in reversal
}

function partsOf(note: ProcessorCreditNote) {
  const { number, total, postPaymentAmount, outOfBandAmount, refundedAmount, refundIds } = note
  return {
    number,
    total,
    balanceAmount: postPaymentAmount - outOfBandAmount - refundedAmount,
    outsideAmount: outOfBandAmount,
    refundIds,
  }
}

/**
 * Who earns from the invoice and how much, as of the day it was finalized; decided when that day is
 * first known, and never again.
 */
async function rememberPartner(
  trx: Trx,
  id: string,
  tenantId: string,
  finalizedAt: Date,
): Promise<void> {
  const partnerId = await findEarningPartner(trx, tenantId, finalizedAt)
  await setInvoicePartner(
    trx,
    id,
    partnerId ?? null,
    partnerId === undefined ? null : await marginAt(trx, partnerId, finalizedAt),
  )
}

const ranks: Readonly<Record<InvoiceStatus, number>> = {
  unknown: 0,
  draft: 0,
  open: 1,
  uncollectible: 2,
  paid: 3,
  void: 3,
}

/**
 * A later reading wins; of two of one moment, the one further in the life of an invoice. A void
 * invoice stays void.
 */
function supersedes(next: InvoiceFields, stored: InvoiceRow): boolean {
  if (stored.status === 'void' && next.status !== 'void') return false
  const later = next.readAt.getTime() - stored.readAt.getTime()
  return later > 0 || (later === 0 && ranks[next.status] >= ranks[stored.status])
}

function toFields(invoice: ProcessorInvoice, tenantId: string, readAt: Date): InvoiceFields {
  return {
    tenantId,
    stripeInvoiceId: invoice.id,
    stripeSubscriptionId: invoice.subscriptionId,
    number: invoice.number,
    status: invoiceStatuses.find((known) => known === invoice.status) ?? 'unknown',
    billingReason: invoice.billingReason,
    currency: invoice.currency,
    subtotal: invoice.subtotal,
    discount: invoice.discount,
    tax: invoice.tax,
    total: invoice.total,
    totalExcludingTax: invoice.totalExcludingTax,
    amountDue: invoice.amountDue,
    amountPaid: invoice.amountPaid,
    amountRemaining: invoice.amountRemaining,
    amountOverpaid: invoice.amountOverpaid,
    balanceApplied: invoice.balanceApplied,
    creditedAmount: invoice.creditedAmount,
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    dueDate: invoice.dueDate,
    nextPaymentAttempt: invoice.nextPaymentAttempt,
    attemptCount: invoice.attemptCount,
    createdAt: invoice.created,
    finalizedAt: invoice.finalizedAt,
    paidAt: invoice.paidAt,
    voidedAt: invoice.voidedAt,
    uncollectibleAt: invoice.uncollectibleAt,
    lines: invoice.lines.map((line) => ({
      description: line.description,
      amount: line.amount,
      quantity: line.quantity,
      proration: line.proration,
      periodStart: line.periodStart.toISOString(),
      periodEnd: line.periodEnd.toISOString(),
    })),
    readAt,
  }
}
