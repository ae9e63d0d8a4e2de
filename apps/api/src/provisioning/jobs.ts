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

/**
 * Finds work that nobody is woken for, whatever became of its job. What is held may be held by a process that is dead: it is looked at again
 * when its lease ends.
 */
export async function sweepProvisioning(house: House): Promise<void> {
  const tenantIds = await findAbandonedTenants(house.database.db, 500)
  if (tenantIds.length > 0) house.log.info({ count: tenantIds.length }, 'found provisioning left undone')
  for (const tenantId of tenantIds) await house.jobs.wakeProvisioning(tenantId, 0)
  for (const { id, heldSeconds } of await findHeldTenants(house.database.db, 500)) await house.jobs.wakeProvisioning(id, heldSeconds)
}
