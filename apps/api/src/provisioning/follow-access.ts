import { statusAfterResume } from '@atrium/core/tenants/tenants'
import type { Trx } from '@atrium/db/platform/connect'
import { listStepStates } from '@atrium/db/provisioning/provisioning'
import { unfinishedMembersOf } from '@atrium/db/tenants/tenant-access'
import type { Services } from '../rpc/services.ts'
import { runProvisioning } from './run.ts'

/** Members whose work is woken at a time. */
const pageSize = 1000

/**
 * Applies the suspension, resumption or deletion of a tenant to the upstream systems: its space in
 * this call, its members by their jobs. The space comes first, because a disabled one accepts no
 * members. Jobs finish what fails or is interrupted here.
 */
export async function followAccess(services: Services, tenantId: string): Promise<void> {
  await runProvisioning(services, tenantId, 'due')
  await enqueueMembers(services, tenantId)
}

/** Wakes the work on every member of a tenant that is not done. */
export async function enqueueMembers(services: Services, tenantId: string): Promise<void> {
  let after: string | undefined
  do {
    const userIds = await unfinishedMembersOf(services.database.db, tenantId, pageSize, after)
    await services.jobs.enqueueMembers(
      userIds.map((userId) => ({ tenantId, userId, afterSeconds: 0 })),
    )
    after = userIds.length < pageSize ? undefined : userIds.at(-1)
  } while (after !== undefined)
}

/** The status of a tenant whose suspension ends: `active` once it was set up, else `pending`. */
export async function statusWithoutSuspension(
  trx: Trx,
  tenantId: string,
): Promise<'active' | 'pending'> {
  const rows = await listStepStates(trx, tenantId)
  const states = { identity: 'pending', mail: 'pending', files: 'pending' } as const
  return statusAfterResume({
    ...states,
    ...Object.fromEntries(rows.map((row) => [row.step, row.state])),
  })
}
