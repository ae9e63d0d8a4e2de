import type { Entitlements } from '@atrium/core/billing/entitlements'
import type { Plan } from '@atrium/core/tenants/tenants'
import { findDueEntitlements, saveEntitlements } from '@atrium/db/billing/entitlements'
import { lockTenantOfSubscription, reopenFilesStep } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import { notifyTenant, readTenantSummary } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { readEntitlements } from './read.ts'

const mostAtOnce = 200

export interface Followed {
  before: { plan: Plan; seats: number }
  entitlements: Entitlements
}

/**
 * Writes the plan and the seats that the tenant is entitled to now, and when they change by the
 * clock. Another plan has the file space provisioned again, by a job unless the caller does it.
 * `seats` takes the place of the number of seats where the tenant chose fewer than it may have.
 * Returns undefined for a deleted tenant.
 */
export async function followEntitlements(
  trx: Trx,
  services: InTransaction,
  tenantId: string,
  { seats: chosen, provisions = false }: { seats?: number | undefined; provisions?: boolean } = {},
): Promise<Followed | undefined> {
  const tenant = await lockTenantOfSubscription(trx, tenantId)
  if (!tenant || tenant.status === 'deleted') return undefined
  const entitlements = await readEntitlements(trx, services, tenantId)
  const { plan, until: dueAt } = entitlements
  const seats = chosen ?? entitlements.seats
  const changed = tenant.plan !== plan || tenant.seats !== seats
  await saveEntitlements(trx, tenantId, { plan, seats, dueAt, changed })
  if (tenant.plan !== plan) {
    await reopenFilesStep(trx, tenantId)
    if (!provisions) await services.jobs.enqueueProvisioning(tenantId, 0, trx)
  }
  if (changed) await notifyTenant(trx, tenantId)
  return { before: { plan: tenant.plan, seats: tenant.seats }, entitlements }
}

/**
 * Follows what the clock changed: days of grace, trials and grants that are over. One that fails
 * does not hold up the others.
 */
export async function followDueEntitlements(services: Services): Promise<void> {
  for (const id of await findDueEntitlements(
    services.database.db,
    services.clock.now(),
    mostAtOnce,
  )) {
    await followOne(services, id).catch((err: unknown) =>
      services.log.error({ err, tenantId: id }, 'the entitlements of a tenant failed'),
    )
  }
}

async function followOne(services: Services, tenantId: string): Promise<void> {
  await services.database.db.transaction().execute(async (trx) => {
    const followed = await followEntitlements(trx, services, tenantId)
    if (!followed) return
    const { before, entitlements } = followed
    const tenant = await readTenantSummary(trx, tenantId)
    const changes = {
      ...(before.plan === tenant.plan ? {} : { plan: [before.plan, tenant.plan] }),
      ...(before.seats === tenant.seats ? {} : { seats: [before.seats, tenant.seats] }),
    }
    if (Object.keys(changes).length === 0) return
    const entry: AuditEntry = {
      action: 'tenant.updated',
      resourceType: 'tenant',
      resourceId: tenantId,
      resourceName: tenant.name,
      tenantSlug: tenant.slug,
      partnerSlug: tenant.partnerSlug,
      metadata: { changes, reason: entitlements.reason },
    }
    await services.audit.recordSystem(entry, trx)
  })
}
