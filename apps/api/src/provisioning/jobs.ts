import {
  findAbandonedTenants,
  findHeldTenants,
  secondsUntilDue,
} from '@atrium/db/provisioning/provisioning'
import type { Services } from '../rpc/services.ts'
import { enqueueMembers } from './follow-access.ts'
import { runProvisioning } from './run.ts'

/**
 * Wakes a created tenant when the process that serves the request should die; by then a living one
 * has long finished.
 */
export const recoverAfterSeconds = 10

/** A job's wake-up: does what is due, or comes back when it is. */
export async function provisionTenant(services: Services, tenantId: string): Promise<void> {
  const due = await secondsUntilDue(services.database.db, tenantId)
  if (due === undefined) return
  if (due > 0.5) return services.jobs.enqueueProvisioning(tenantId, due)
  const ran = await runProvisioning(services, tenantId, 'due')
  // Those who could not be let into the space while it was closed.
  if (ran) await enqueueMembers(services, tenantId)
  else
    await services.jobs.enqueueProvisioning(
      tenantId,
      (await secondsUntilDue(services.database.db, tenantId)) ?? recoverAfterSeconds,
    )
}

/** Tenants that a sweep reads at a time. */
const pageSize = 1000

/**
 * Wakes everything that is due, whatever became of its job. What is held may be held by a process
 * that is dead: it is looked at again when its lease ends.
 */
export async function sweepProvisioning(services: Services): Promise<void> {
  const { db } = services.database
  let count = 0
  for (
    let page = await findAbandonedTenants(db, pageSize);
    page.length > 0;
    page = await findAbandonedTenants(db, pageSize, page.at(-1))
  ) {
    count += page.length
    await services.jobs.enqueueProvisionings(
      page.map((tenantId) => ({ tenantId, afterSeconds: 0 })),
    )
  }
  if (count > 0) services.log.info({ count }, 'found unfinished provisioning')
  for (
    let page = await findHeldTenants(db, pageSize);
    page.length > 0;
    page = await findHeldTenants(db, pageSize, page.at(-1)?.id)
  ) {
    await services.jobs.enqueueProvisionings(
      page.map(({ id, heldSeconds }) => ({ tenantId: id, afterSeconds: heldSeconds })),
    )
  }
}
