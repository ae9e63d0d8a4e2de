import type { PaymentOutcome } from '@atrium/core/billing/billing'
import {
  findLiveSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
} from '@atrium/db/billing/subscriptions'
import { databaseNow } from '@atrium/db/platform/clock'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { errorTexts } from '@atrium/messages/error-texts'
import type { PageLanguage } from '@atrium/messages/languages'
import type { Services } from '../../rpc/services.ts'
import { paymentDeadline } from '../invoices/failures.ts'
import { mirrorInvoice } from '../invoices/mirror.ts'
import { applyProcessorSubscription } from './apply.ts'
import { oneAtATime } from './at-processor.ts'
import { subscriptionEntry } from './record.ts'

/**
 * Resumes a paused subscription at the payment processor, such as one whose trial ended without a
 * card: a period begins now and is charged to the card on file. An earlier try's invoice that is
 * still open is charged instead. Returns what became of the payment, and null when nothing is
 * paused or the processor did not tell of an invoice. A failed payment leaves it paused and is
 * returned, not thrown.
 */
export async function resumePaused(
  services: Services,
  payments: Payments,
  tenantId: string,
  {
    language,
    signal = paymentDeadline(),
  }: { language: PageLanguage; signal?: AbortSignal | undefined },
): Promise<PaymentOutcome | null> {
  return oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx): Promise<PaymentOutcome | null> => {
      await lockSubscriptionsOf(trx, tenantId)
      const row = await findLiveSubscription(trx, tenantId)
      if (row?.status !== 'paused' || row.stripeSubscriptionId === null) return null
      const id = row.stripeSubscriptionId
      const message = await charge(payments, row, id, signal)
      const readAt = await databaseNow(trx)
      const read = await payments.findSubscription(id, { signal })
      if (!read) return null
      const invoice =
        read.latestInvoiceId === null
          ? undefined
          : await payments.findInvoice(read.latestInvoiceId, { signal })
      const mirrored = invoice && (await mirrorInvoice(trx, services, invoice, readAt))
      const applied = await applyProcessorSubscription(trx, services, tenantId, read, {
        eventId: null,
        eventAt: null,
        readAt,
      })
      const after = applied?.after
      if (after && after.status !== 'paused') {
        const entry = subscriptionEntry('subscription.resumed', row, after)
        await services.audit.recordSystem(entry, trx)
      }
      const paid = invoice?.status === 'paid' && read.status !== 'paused'
      return typeof mirrored === 'object' && invoice
        ? {
            invoiceId: mirrored.id,
            number: invoice.number,
            outcome: paid ? 'paid' : 'failed',
            message: paid
              ? null
              : (message ?? errorTexts(language)('details.paymentFailedStillPaused')),
          }
        : null
    }),
  )
}

/**
 * Returns why the payment failed, where the processor said it. Which try it is follows from the
 * version and the card's last change.
 */
async function charge(
  payments: Payments,
  row: SubscriptionRow,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const open =
    row.latestInvoiceId === null
      ? undefined
      : await payments.findInvoice(row.latestInvoiceId, { signal })
  try {
    if (open?.status === 'open')
      await payments.payInvoice(open.id, {
        idempotencyKey: `resume-pay:${open.id}:${open.attemptCount}`,
        signal,
      })
    else
      await payments.resumeSubscription(id, {
        idempotencyKey: `resume:${row.id}:${row.version}`,
        signal,
      })
    return undefined
  } catch (error) {
    if (error instanceof PaymentDeclined || error instanceof UpstreamError) return error.message
    throw error
  }
}
