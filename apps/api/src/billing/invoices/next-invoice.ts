import type { NextInvoice } from '@atrium/core/billing/billing'
import { toMinorNumber } from '@atrium/core/billing/money'
import { periodTotal } from '@atrium/core/billing/subscriptions'
import { AppError } from '@atrium/core/platform/errors'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import { findLiveSubscription, type SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { InvoicePreview } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { targetOf } from '../subscriptions/target.ts'
import { toPreviewLine, toPreviewTotals } from '../taxes/view.ts'

const deadlineMs = 3_000

/**
 * The next regular invoice as it will be if nothing changes: scheduled changes, tax and credit
 * included, as the payment processor computes it. A manual subscription, and a processor that does
 * not answer, get an estimate from our records. Null when there will be no further invoice.
 */
export function getNextInvoice(
  { services }: Context,
  { tenant }: Access,
): Promise<NextInvoice | null> {
  return readNextInvoice(services, tenant)
}

/** As `getNextInvoice`. */
export async function readNextInvoice(
  services: Services,
  tenant: { id: string; partnerId: string | null },
): Promise<NextInvoice | null> {
  const row = await findLiveSubscription(services.database.db, tenant.id)
  if (!row?.currentPeriodEnd || row.cancelAtPeriodEnd || row.cancelAt) return null
  if (!['active', 'past_due', 'trialing'].includes(row.status)) return null
  const at = row.currentPeriodEnd
  if (at < services.clock.now()) return null
  const read = await askForNext(services, row)
  if (read === 'none') return null
  return read
    ? { at: at.toISOString(), ...read }
    : estimate(services, row, at, { tenantId: tenant.id, partnerId: tenant.partnerId })
}

/** Undefined where the processor cannot be asked, or does not answer in time. */
async function askForNext(
  services: Services,
  { tenantId, stripeSubscriptionId: subscriptionId, stripeScheduleId: scheduleId }: SubscriptionRow,
): Promise<Omit<NextInvoice, 'at'> | 'none' | undefined> {
  const { payments } = services.systems
  const customerId = (await findPaymentCustomer(services.database.db, tenantId))?.customerId
  if (payments === null || subscriptionId === null || !customerId) return undefined
  const options = { signal: AbortSignal.timeout(deadlineMs) }
  try {
    const [invoice, customer] = await Promise.all([
      payments.previewNextInvoice({ subscriptionId, scheduleId }, options),
      payments.findCustomer(customerId, options),
    ])
    return invoice ? toView(invoice, customer?.credits[invoice.currency] ?? 0) : 'none'
  } catch (error) {
    const late = error instanceof DOMException && error.name === 'TimeoutError'
    if (error instanceof UpstreamError || late) return undefined
    throw error
  }
}

function toView(invoice: InvoicePreview, credit: number): Omit<NextInvoice, 'at'> {
  return {
    currency: invoice.currency,
    exact: true,
    lines: invoice.lines.map(toPreviewLine),
    ...toPreviewTotals(invoice),
    creditMinor: invoice.creditApplied,
    amountDueMinor: invoice.amountDue,
    balanceMinor: credit,
  }
}

async function estimate(
  services: Services,
  row: SubscriptionRow,
  at: Date,
  buyer: { tenantId: string; partnerId: string | null },
): Promise<NextInvoice> {
  const total = toMinorNumber(await nextTotal(services, row, { ...buyer, at }))
  return {
    at: at.toISOString(),
    currency: row.currency,
    exact: false,
    lines: [],
    netMinor: total,
    taxes: [],
    taxMinor: 0,
    totalMinor: total,
    creditMinor: 0,
    amountDueMinor: total,
    balanceMinor: 0,
  }
}

/** What waits for the end of the period counts, unless it has become impossible. */
async function nextTotal(
  { database }: Services,
  row: SubscriptionRow,
  buyer: { tenantId: string; partnerId: string | null; at: Date },
): Promise<bigint> {
  if (!row.pending) return periodTotal(row)
  try {
    return (await targetOf(database.db, row, row.pending, buyer)).total
  } catch (error) {
    if (error instanceof AppError) return periodTotal(row)
    throw error
  }
}
