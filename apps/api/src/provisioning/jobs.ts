import { findAbandonedTenants, findHeldTenants, secondsUntilDue } from '@atrium/db/provisioning'
import type { House } from '../house.ts'
import { runProvisioning } from './run.ts'

/** Wakes a created tenant when the process that serves the request should die; by then a living one has long finished. */
export const recoverAfterSeconds = 10

/** A job's wake-up: does what is due, or comes back when it is. */
export async function provisionTenant(house: House, tenantId: string): Promise<void> {
  const due = await secondsUntilDue(house.database.db, tenantId)
  if (due === undefined) return
  if (due > 0.5) return house.jobs.wakeProvisioning(tenantId, due)
  const ran = await runProvisioning(house, tenantId, 'due')
  if (!ran) await house.jobs.wakeProvisioning(tenantId, (await secondsUntilDue(house.database.db, tenantId)) ?? recoverAfterSeconds)
}

/** Tenants that a sweep reads at a time. */
const pageSize = 1000

/**
 * Wakes everything that is due, whatever became of its job. What is held may be held by a process that is dead: it is looked at again when
 * its lease ends.
 */
export async function sweepProvisioning(house: House): Promise<void> {
  const { db } = house.database
  let count = 0
  for (let page = await findAbandonedTenants(db, pageSize); page.length > 0; page = await findAbandonedTenants(db, pageSize, page.at(-1))) {
    count += page.length
    await house.jobs.wakeProvisionings(page.map((tenantId) => ({ tenantId, afterSeconds: 0 })))
  }
  if (count > 0) house.log.info({ count }, 'found provisioning left undone')
  for (let page = await findHeldTenants(db, pageSize); page.length > 0; page = await findHeldTenants(db, pageSize, page.at(-1)?.id)) {
    await house.jobs.wakeProvisionings(page.map(({ id, heldSeconds }) => ({ tenantId: id, afterSeconds: heldSeconds })))
  }
}
