import {
  type BillingOverview,
  type BillingState,
  billingStateOf,
  suspensionDays,
} from '@atrium/core/billing/billing'
import { type EntitlementFacts, entitlementsOf } from '@atrium/core/billing/entitlements'
import { toShownNumber } from '@atrium/core/billing/money'
import {
  findLastReconciliation,
  listDifferences,
  listPastDueTenants,
  type PastDueRow,
  readCurrencyFigures,
} from '@atrium/db/billing/billing'
import { findEntitlementFactsOf } from '@atrium/db/billing/entitlements'
import { readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'
import { entitlementRules } from '../entitlements/read.ts'
import { readInboxHealth } from '../webhooks/health.ts'

/** Of tenants and differences that are listed. */
const mostRows = 100

/** Billing figures of all tenants from our own records, per currency and never converted. */
export async function getBillingOverview(services: Services): Promise<BillingOverview> {
  const { db } = services.database
  const { billing } = services.config
  const now = services.clock.now()
  const [currencies, pastDue, inbox, last] = await Promise.all([
    readCurrencyFigures(db, now),
    listPastDueTenants(db, now, mostRows),
    readInboxHealth(services),
    findLastReconciliation(db),
  ])
  const ids = pastDue.map(({ tenantId }) => tenantId)
  const facts =
    ids.length > 0
      ? await findEntitlementFactsOf(db, ids, now)
      : new Map<string, EntitlementFacts>()
  const differences = last ? await listDifferences(db, last.id, mostRows) : []
  return {
    paymentsEnabled: billing.paymentsEnabled,
    configured: services.systems.payments !== null,
    webhooksConfigured: billing.webhookSecrets.length > 0,
    currencies: currencies.map((row) => ({
      currency: row.currency,
      mrrMinor: toShownNumber(row.mrr),
      atRiskMrrMinor: toShownNumber(row.atRiskMrr),
      trialMrrMinor: toShownNumber(row.trialMrr),
      payingTenants: row.payingTenants,
      openInvoices: row.openInvoices,
      openMinor: toShownNumber(row.open),
      overdueInvoices: row.overdueInvoices,
      overdueMinor: toShownNumber(row.overdue),
      paidLast30DaysMinor: toShownNumber(row.paid),
      returnedLast30DaysMinor: toShownNumber(row.returned),
      failedPaymentsLast30Days: row.failedPayments,
    })),
    pastDue: pastDue.map((row) => {
      const known = facts.get(row.tenantId)
      const state = known
        ? billingStateOf(entitlementsOf(known, entitlementRules(services.config), now))
        : 'past_due'
      return toPastDueTenant(row, state, now)
    }),
    inbox,
    reconciliation: last
      ? {
          startedAt: last.startedAt.toISOString(),
          finishedAt: last.finishedAt?.toISOString() ?? null,
          tenants: last.tenants,
          differences: last.differences,
          repaired: last.repaired,
          failed: last.failed,
          lostEvents: last.lostEvents,
          error: readFailure(last.error),
        }
      : null,
    differences: differences.map((row) => ({ ...row, foundAt: row.foundAt.toISOString() })),
  }
}

function toPastDueTenant(
  row: PastDueRow,
  state: BillingState,
  now: Date,
): BillingOverview['pastDue'][number] {
  const { amount, pastDueSince, tenantId: _, ...rest } = row
  const days = pastDueSince === null ? 0 : (now.getTime() - pastDueSince.getTime()) / 86_400_000
  return {
    ...rest,
    pastDueSince: pastDueSince?.toISOString() ?? null,
    amountMinor: toShownNumber(amount),
    state,
    suspensionSuggested: days >= suspensionDays,
  }
}
