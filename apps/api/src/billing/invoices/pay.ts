import type { InvoicePath, InvoiceView, PaymentOutcome } from '@atrium/core/billing/billing'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError, writeText } from '@atrium/core/platform/errors'
import { findSubscriptionSummary } from '@atrium/db/billing/billing'
import { findInvoice, type InvoiceRow } from '@atrium/db/billing/invoices'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { applyProcessorSubscription } from '../subscriptions/apply.ts'
import { attendDunning } from './dunning.ts'
import { paymentDeadline } from './failures.ts'
import { requireOpenBilling } from './gate.ts'
import { findTenantInvoice } from './invoices.ts'
import { mirrorInvoice } from './mirror.ts'
import { rejectDeleted } from './open.ts'
import { toInvoiceView } from './view.ts'

/**
 * Charges an open invoice to the card on file now; one that was paid at the processor meanwhile is
 * returned as it is. AppError `payment_failed` with the reason when the card is declined,
 * `invoice_state` for one that is not open.
 */
export async function payInvoice(
  ctx: Context,
  access: Access,
  input: InvoicePath,
): Promise<InvoiceView> {
  const { services } = ctx
  rejectDeleted(access)
  const payments = await requireOpenBilling(services, access.tenant)
  const invoice = await findTenantInvoice(services, access.tenant.id, input.invoiceId)
  if (!isPayable(invoice)) throw new AppError('invoice_state', errorText('invoiceNotOpen'))
  const { outcome, message, declined } = await tryToPay(services, payments, invoice, {
    signal: paymentDeadline(),
    record: (tried, trx) =>
      services.audit.record(ctx, access.caller, paymentEntry(access, invoice, tried), trx),
  })
  const after = (await findInvoice(services.database.db, access.tenant.id, invoice.id)) ?? invoice
  if (outcome === 'failed' && after.status !== 'paid') {
    // The processor rejects it when it was paid, voided or credited there and no event told us yet.
    if (!isPayable(after)) throw new AppError('invoice_state', errorText('invoiceNotOpen'))
    throw new AppError(declined ? 'payment_failed' : 'upstream_failed', message ?? undefined)
  }
  return toInvoiceView(after, services.clock.now())
}

const paymentEntry = (
  { tenant }: Access,
  { id, number, currency, amountRemaining }: InvoiceRow,
  { outcome, message }: Tried,
): AuditEntry => ({
  action: 'invoice.payment_attempted',
  outcome: outcome === 'paid' ? 'success' : 'failure',
  resourceType: 'invoice',
  resourceId: id,
  resourceName: number,
  tenantSlug: tenant.slug,
  partnerSlug: tenant.partnerSlug,
  metadata: {
    currency,
    amountMinor: Number(amountRemaining),
    ...(message === null ? {} : { error: writeText(message, defaultLanguage) }),
  },
})

const isPayable = ({ status }: InvoiceRow) => status === 'open' || status === 'uncollectible'

/**
 * Charges an invoice to the card on file and keeps what became of it. A failure is told in
 * `language`, not thrown.
 */
export async function payAtOnce(
  services: Services,
  payments: Payments,
  invoice: InvoiceRow,
  {
    language,
    signal = paymentDeadline(),
  }: { language: PageLanguage; signal?: AbortSignal | undefined },
): Promise<PaymentOutcome> {
  const { outcome, message } = await tryToPay(services, payments, invoice, { signal })
  return {
    invoiceId: invoice.id,
    number: invoice.number,
    outcome,
    message: message === null ? null : writeText(message, language),
  }
}

interface Tried {
  outcome: 'paid' | 'failed'
  message: ErrorText | string | null
  declined: boolean
}

/** Records a payment in the transaction that keeps it; a failed one changes nothing here. */
type RecordTried = (tried: Tried, trx?: Trx) => Promise<void>

async function tryToPay(
  services: Services,
  payments: Payments,
  invoice: InvoiceRow,
  { signal, record }: { signal: AbortSignal; record?: RecordTried },
): Promise<Tried> {
  const { db } = services.database
  const readAt = await databaseNow(db)
  let tried: Tried
  try {
    const after = await payments.payInvoice(invoice.stripeInvoiceId, {
      idempotencyKey: payKey(invoice),
      signal,
    })
    const paid: Tried =
      after.status === 'paid' ? { outcome: 'paid', message: null, declined: false } : stillOpen
    await db.transaction().execute(async (trx) => {
      await mirrorInvoice(trx, services, after, readAt)
      await record?.(paid, trx)
    })
    tried = paid
  } catch (error) {
    if (!(error instanceof PaymentDeclined || error instanceof UpstreamError)) throw error
    tried = {
      outcome: 'failed',
      message: error.message,
      declined: error instanceof PaymentDeclined,
    }
    await record?.(tried)
  }
  await readAnew(services, payments, invoice, signal)
  return tried
}

const stillOpen: Tried = {
  outcome: 'failed',
  message: errorText('paymentNotThrough'),
  declined: true,
}

/**
 * Another key for each number of tries the processor counted: a key whose charge was declined would
 * only be answered with the old decline.
 */
function payKey({ stripeInvoiceId, attemptCount, readAt }: InvoiceRow): string {
  return `pay:${stripeInvoiceId}:${attemptCount}:${readAt.getTime()}`
}

/**
 * Brings invoice and subscription to what the processor has now, so that nobody waits for its
 * events. What cannot be read comes with them all the same, so a failure here is no failure of the
 * payment.
 */
export async function readAnew(
  services: Services,
  payments: Payments,
  { tenantId, stripeInvoiceId }: Pick<InvoiceRow, 'tenantId' | 'stripeInvoiceId'>,
  signal: AbortSignal,
): Promise<void> {
  const { db } = services.database
  try {
    const readAt = await databaseNow(db)
    const current = await payments.findInvoice(stripeInvoiceId, { signal })
    if (current)
      await db.transaction().execute((trx) => mirrorInvoice(trx, services, current, readAt))
    const summary = await findSubscriptionSummary(db, tenantId)
    if (!summary?.stripeSubscriptionId) return
    const subscription = await payments.findSubscription(summary.stripeSubscriptionId, { signal })
    if (!subscription) return
    await db.transaction().execute((trx) =>
      applyProcessorSubscription(trx, services, tenantId, subscription, {
        eventId: null,
        eventAt: null,
        readAt,
      }),
    )
    await attendDunning(services, summary.id)
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    services.log.warn({ err }, 'what became of a payment could not be read')
  }
}
