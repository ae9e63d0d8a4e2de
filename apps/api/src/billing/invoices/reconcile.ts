import { AppError } from '@atrium/core/platform/errors'
import {
  deleteOldReconciliations,
  insertDifference,
  listStripeSubscriptions,
  type NewDifference,
  saveLostEvents,
  saveReconciliation,
  startReconciliation,
} from '@atrium/db/billing/billing'
import { listStoredInvoices } from '@atrium/db/billing/invoices'
import { findPaymentCustomer, listCustomerTenants } from '@atrium/db/billing/payment-customers'
import { databaseNow } from '@atrium/db/platform/clock'
import type {
  Payments,
  ProcessorInvoice,
  ProcessorSubscription,
} from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { SystemEntry } from '../../rpc/audit-recorder.ts'
import type { Services } from '../../rpc/services.ts'
import { applyProcessorSubscription } from '../subscriptions/apply.ts'
import { followTenantTax } from '../taxes/follow.ts'
import { recoverLostEvents } from '../webhooks/recover.ts'
import { invoiceDifferences, subscriptionDifferences } from './differences.ts'
import { attendDunning } from './dunning.ts'
import { paymentDeadline } from './failures.ts'
import { mirrorInvoice } from './mirror.ts'
import { syncTaxId } from './tax-id.ts'

const batch = 100
const keptDays = 90

/**
 * Compares what is kept here with what the payment processor has, tenant by tenant, writes down
 * what differs, and repairs it by applying what was read: for events that never came. Refunds,
 * credit notes and disputes are found by their events. Ends early, saying so, when the processor
 * does not answer.
 */
export async function reconcileBilling(services: Services): Promise<void> {
  const { payments } = services.systems
  if (payments === null) return
  const { db } = services.database
  await deleteOldReconciliations(db, keptDays)
  const id = await startReconciliation(db)
  const sums = { tenants: 0, failed: 0, differences: 0, error: null as string | null }
  for (let after: string | undefined; sums.error === null; ) {
    const tenantIds: string[] = await listCustomerTenants(db, after, batch)
    for (const tenantId of tenantIds) {
      try {
        const found = await reconcileTenant(services, payments, tenantId)
        for (const difference of found) await insertDifference(db, id, difference)
        sums.tenants += 1
        sums.differences += found.length
      } catch (err) {
        sums.failed += 1
        services.log.warn({ err, tenantId }, 'the billing of a tenant could not be compared')
        if (err instanceof UpstreamError && err.kind === 'circuit_open') {
          sums.error = err.message
          break
        }
      }
      if (services.background.ending) return
    }
    await saveReconciliation(db, id, { ...sums, finished: false })
    after = tenantIds.at(-1)
    if (tenantIds.length < batch) break
  }
  const lostEvents = sums.error === null ? await recoverEvents(services, payments, id, sums) : 0
  await db.transaction().execute(async (trx) => {
    await saveReconciliation(trx, id, { ...sums, finished: true })
    if (sums.differences === 0 && lostEvents === 0) return
    const { tenants, differences, failed } = sums
    const entry: SystemEntry = {
      action: 'billing.reconciled',
      resourceType: 'platform',
      metadata: { tenants, differences, failed, lostEvents },
    }
    await services.audit.recordSystem(entry, trx)
  })
}

/** Returns how many events were lost. A failure of the processor is kept as the comparison's. */
async function recoverEvents(
  services: Services,
  payments: Payments,
  reconciliationId: string,
  sums: { error: string | null },
): Promise<number> {
  try {
    const found = await recoverLostEvents(services, payments)
    if (!found) return 0
    await saveLostEvents(services.database.db, reconciliationId, found)
    return found.lost
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    services.log.warn({ err }, 'the events of the payment processor could not be read')
    sums.error = err.message
    return 0
  }
}

/**
 * One tenant's differences, repaired where reading again can repair them. Rejects with
 * `UpstreamError`.
 */
export async function reconcileTenant(
  services: Services,
  payments: Payments,
  tenantId: string,
): Promise<NewDifference[]> {
  const { db } = services.database
  const customer = await findPaymentCustomer(db, tenantId)
  if (!customer?.customerId) return []
  const readAt = await databaseNow(db)
  const [subscriptions, invoices] = [
    await payments.listSubscriptions(customer.customerId),
    await payments.listInvoices(customer.customerId),
  ]
  const differences = [
    ...(await compareSubscriptions(services, tenantId, subscriptions, readAt)),
    ...(await compareInvoices(services, tenantId, invoices, readAt)),
  ]
  await syncTaxId(services, payments, tenantId)
  await followTenantTax(services, payments, tenantId, paymentDeadline())
  return differences
}

async function compareSubscriptions(
  services: Services,
  tenantId: string,
  theirs: readonly ProcessorSubscription[],
  readAt: Date,
): Promise<NewDifference[]> {
  const { db } = services.database
  const ours = await listStripeSubscriptions(db, tenantId)
  const found: NewDifference[] = []
  // Oldest first: a tenant's last subscription is applied last.
  for (const their of [...theirs].reverse()) {
    const our = ours.find((row) => row.stripeSubscriptionId === their.id)
    const fields = our ? subscriptionDifferences(our, their) : {}
    if (our && Object.keys(fields).length === 0) continue
    const repaired = await repairSubscription(services, tenantId, their, readAt)
    const kind = our ? ('differs' as const) : ('missing_here' as const)
    found.push({ tenantId, objectType: 'subscription', objectId: their.id, kind, fields, repaired })
  }
  for (const our of ours) {
    const ended = our.status === 'canceled' || our.status === 'incomplete_expired'
    if (ended || theirs.some(({ id }) => id === our.stripeSubscriptionId)) continue
    found.push({
      tenantId,
      objectType: 'subscription',
      objectId: our.stripeSubscriptionId,
      kind: 'missing_there',
      fields: {},
      repaired: false,
    })
  }
  return found
}

/**
 * False where the tenant has another subscription here that runs: which of the two is right is for
 * people to say.
 */
async function repairSubscription(
  services: Services,
  tenantId: string,
  their: ProcessorSubscription,
  readAt: Date,
): Promise<boolean> {
  try {
    const change = await services.database.db.transaction().execute((trx) =>
      applyProcessorSubscription(trx, services, tenantId, their, {
        eventId: null,
        eventAt: null,
        readAt,
      }),
    )
    if (change) await attendDunning(services, change.after.id)
    return change !== undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'subscription_exists') return false
    throw error
  }
}

async function compareInvoices(
  services: Services,
  tenantId: string,
  theirs: readonly ProcessorInvoice[],
  readAt: Date,
): Promise<NewDifference[]> {
  const { db } = services.database
  const ours = await listStoredInvoices(db, tenantId)
  const found: NewDifference[] = []
  for (const their of theirs) {
    const our = ours.find((row) => row.stripeInvoiceId === their.id)
    const fields = our ? invoiceDifferences(our, their) : {}
    if (our && Object.keys(fields).length === 0) continue
    const mirrored = await db
      .transaction()
      .execute((trx) => mirrorInvoice(trx, services, their, readAt))
    const kind = our ? ('differs' as const) : ('missing_here' as const)
    found.push({
      tenantId,
      objectType: 'invoice',
      objectId: their.id,
      kind,
      fields,
      repaired: typeof mirrored === 'object',
    })
  }
  return found
}
