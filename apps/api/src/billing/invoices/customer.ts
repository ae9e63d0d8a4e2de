import {
  deletePaymentCustomer,
  findCustomerTenant,
  findPaymentCustomer,
  findTenantOfCustomer,
  lockPaymentCustomer,
  savePaymentCustomer,
} from '@atrium/db/billing/payment-customers'
import type { Payments } from '@atrium/integrations/payments/port'
import type { SystemEntry } from '../../rpc/audit-recorder.ts'
import type { Services } from '../../rpc/services.ts'
import { addressOf } from '../taxes/buyer.ts'
import { paymentDeadline } from './failures.ts'
import { syncTaxId } from './tax-id.ts'

/**
 * The tenant's customer at the payment processor, made when there is none. Any number of calls at
 * once make one: they wait for each other under a lock of the tenant (a statement may wait for
 * longer than `signal` lasts), and a second try after a lost answer carries the same key. Rejects
 * with `UpstreamError`.
 */
export async function ensureCustomer(
  services: Services,
  payments: Payments,
  tenantId: string,
  signal = paymentDeadline(),
): Promise<string> {
  const stored = await findPaymentCustomer(services.database.db, tenantId)
  if (stored?.customerId) return stored.customerId
  // Those who wait in this process wait here, so that a slow processor does not keep a connection
  // of the database for each of them.
  const waiting = underWay.get(services) ?? new Map<string, Promise<string>>()
  underWay.set(services, waiting)
  const made =
    waiting.get(tenantId) ??
    makeCustomer(services, payments, tenantId, signal).finally(() => waiting.delete(tenantId))
  waiting.set(tenantId, made)
  return made
}

const underWay = new WeakMap<Services, Map<string, Promise<string>>>()

async function makeCustomer(
  services: Services,
  payments: Payments,
  tenantId: string,
  signal: AbortSignal,
): Promise<string> {
  const { db } = services.database
  const { customerId, tenant } = await db.transaction().execute(async (trx) => {
    await lockPaymentCustomer(trx, tenantId)
    const locked = await findPaymentCustomer(trx, tenantId)
    if (locked?.customerId) return { customerId: locked.customerId, tenant: undefined }
    const found = await findCustomerTenant(trx, tenantId)
    if (!found) throw new Error(`there is no tenant ${tenantId}`)
    const { id } = await payments.createCustomer(
      {
        tenantId,
        tenantSlug: found.slug,
        name: found.company ?? found.name,
        email: found.email ?? found.ownerEmail,
        address: addressOf(found),
      },
      // One key for each customer that the tenant ever had: the key of a deleted one would be
      // answered with it.
      { idempotencyKey: `customer:${tenantId}:${locked?.formerIds.length ?? 0}`, signal },
    )
    await savePaymentCustomer(trx, tenantId, id)
    const entry: SystemEntry = {
      action: 'billing.customer_created',
      resourceType: 'tenant',
      resourceId: tenantId,
      resourceName: found.name,
      tenantSlug: found.slug,
      partnerSlug: found.partnerSlug,
      metadata: { customerId: id },
    }
    await services.audit.recordSystem(entry, trx)
    return { customerId: id, tenant: found }
  })
  if (tenant && tenant.vatNumber !== null)
    services.background.run('telling a VAT number', () => syncTaxId(services, payments, tenantId))
  return customerId
}

/**
 * A customer is gone at the processor: the next need makes a new one; what still comes of this one
 * stays the tenant's.
 */
export async function deleteProcessorCustomer(
  services: Services,
  customerId: string,
): Promise<void> {
  const { db } = services.database
  const tenantId = await findTenantOfCustomer(db, customerId)
  if (tenantId === undefined) return
  await db.transaction().execute(async (trx) => {
    if (!(await deletePaymentCustomer(trx, customerId))) return
    const tenant = await findCustomerTenant(trx, tenantId)
    const entry: SystemEntry = {
      action: 'billing.customer_removed',
      resourceType: 'tenant',
      resourceId: tenantId,
      resourceName: tenant?.name ?? null,
      tenantSlug: tenant?.slug ?? null,
      partnerSlug: tenant?.partnerSlug ?? null,
      metadata: { customerId },
    }
    await services.audit.recordSystem(entry, trx)
  })
}
