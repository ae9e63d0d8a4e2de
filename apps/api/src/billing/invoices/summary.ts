import { type BillingSummary, billingStateOf } from '@atrium/core/billing/billing'
import {
  entitlementsOf,
  explainEntitlements,
  toEntitlementsView,
} from '@atrium/core/billing/entitlements'
import { toMinorNumber } from '@atrium/core/billing/money'
import { prorate } from '@atrium/core/billing/proration'
import { isEnded } from '@atrium/core/billing/subscription-life'
import { netOf } from '@atrium/core/billing/taxes'
import { writeText } from '@atrium/core/platform/errors'
import { findSubscriptionSummary, type SummaryRow } from '@atrium/db/billing/billing'
import { findBillingInfo } from '@atrium/db/billing/billing-info'
import { findEntitlementFacts } from '@atrium/db/billing/entitlements'
import { sumOpenInvoices } from '@atrium/db/billing/invoices'
import { findPaymentCustomer, type PaymentCustomerRow } from '@atrium/db/billing/payment-customers'
import { databaseNow } from '@atrium/db/platform/clock'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { failureTexts } from '@atrium/messages/failure-texts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { readerLanguage, readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'
import { withVatStatus } from '../billing-info/check.ts'
import { entitlementRules } from '../entitlements/read.ts'
import { readCard } from './card.ts'
import { billingGate } from './gate.ts'
import { toCardView, toSubscriptionSummary } from './view.ts'

const freshMs = 60_000
const deadlineMs = 3_000

/**
 * Everything the billing page opens with, from our own records. While the gate is open the card and
 * the credits are read again when the last reading is older than a minute; a processor that does
 * not answer makes them `stale`, never an error.
 */
export async function getBilling(
  { services, request }: Context,
  { tenant }: Access,
): Promise<BillingSummary> {
  const { db } = services.database
  const now = services.clock.now()
  const [gate, row, billing, due, facts] = await Promise.all([
    billingGate(services, tenant),
    findSubscriptionSummary(db, tenant.id),
    findBillingInfo(db, tenant.id),
    sumOpenInvoices(db, tenant.id, now),
    findEntitlementFacts(db, tenant.id, now),
  ])
  const { customer, stale } = await customerWithCard(services, tenant.id, gate === 'open')
  const subscription = row ? toSubscriptionSummary(row) : null
  const entitlements = entitlementsOf(facts, entitlementRules(services.config), now)
  const { billingInfo, vatStatus } = withVatStatus(billing, customer)
  return {
    gate,
    state: billingStateOf(entitlements),
    limitedFrom: entitlements.limitedFrom?.toISOString() ?? null,
    entitlements: toEntitlementsView(
      entitlements,
      writeText(explainEntitlements(entitlements), request.language),
    ),
    subscription,
    card: customer?.card ? toCardView(customer.card, now) : null,
    cardReadAt: customer?.cardReadAt?.toISOString() ?? null,
    cardFailure:
      customer?.cardFailure && customer.cardFailureAt
        ? { reason: customer.cardFailure, at: customer.cardFailureAt.toISOString() }
        : null,
    stale,
    due: due.map(({ currency, amount, invoices, overdue }) => ({
      currency,
      amountMinor: toMinorNumber(amount),
      invoices,
      overdue,
    })),
    credits: Object.entries(customer?.credits ?? {})
      .map(([currency, amountMinor]) => ({ currency, amountMinor }))
      .sort((a, b) => a.currency.localeCompare(b.currency)),
    onDeletion: row ? onDeletionOf(row, now) : null,
    contact: { ...billingInfo, vatStatus },
  }
}

async function customerWithCard(
  services: Services,
  tenantId: string,
  open: boolean,
): Promise<{ customer: PaymentCustomerRow | undefined; stale: string | null }> {
  const { db } = services.database
  const { payments } = services.systems
  const stored = await findPaymentCustomer(db, tenantId)
  if (!open || payments === null || !stored?.customerId) return { customer: stored, stale: null }
  const readAt = await databaseNow(db)
  if (stored.cardReadAt && readAt.getTime() - stored.cardReadAt.getTime() < freshMs)
    return { customer: stored, stale: null }
  try {
    await readCard(services, payments, stored.customerId, readAt, {
      signal: AbortSignal.timeout(deadlineMs),
    })
    return { customer: await findPaymentCustomer(db, tenantId), stale: null }
  } catch (error) {
    if (error instanceof UpstreamError)
      return { customer: stored, stale: readFailure(error.message) }
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      return { customer: stored, stale: failureTexts(readerLanguage())('readings.paymentsTimeout') }
    }
    throw error
  }
}

/** An estimate by the rule of proration; the payment processor computes the credit, with tax. */
function onDeletionOf(row: SummaryRow, now: Date): BillingSummary['onDeletion'] {
  if (isEnded(row.status)) return null
  const {
    source,
    status,
    currency,
    periodAmount,
    currentPeriodStart: start,
    currentPeriodEnd: end,
  } = row
  const paid =
    source === 'stripe' && status === 'active' && start !== null && end !== null && start < end
  const net = netOf(BigInt(periodAmount), row)
  const credit = paid ? -prorate(net, 0n, { start, end, at: now }).credit : 0n
  return { currency, creditMinor: toMinorNumber(credit) }
}
