import { provisioningSteps } from '@atrium/core/tenants/tenants'
import { findFailedTenants, listStepStates } from '@atrium/db/provisioning/provisioning'
import { findTenant, type TenantRow } from '@atrium/db/tenants/tenants'
import { enqueueMembers } from '../provisioning/follow-access.ts'
import { runProvisioning } from '../provisioning/run.ts'
import type { Services } from '../rpc/services.ts'
import { recordCommand } from './command-audit.ts'

/** Tenants that are read at a time. */
const pageSize = 100

/**
 * Runs provisioning again: every step of the named tenants, or what failed of all tenants when none
 * is named. Passes one line per tenant to `print`; returns how many are not done.
 */
export async function retryProvisioning(
  services: Services,
  slugs: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const { db } = services.database
  let open = 0
  for (const slug of slugs) {
    const tenant = await findTenant(services.database, slug)
    if (tenant && tenant.status !== 'deleted') open += await retry(services, tenant, 'all', print)
    else {
      print(`${slug} ${tenant ? 'is deleted' : 'is not a tenant'}`)
      open += 1
    }
  }
  if (slugs.length > 0) return open
  for (
    let page = await findFailedTenants(db, pageSize);
    page.length > 0;
    page = await findFailedTenants(db, pageSize, page.at(-1)?.id)
  )
    for (const tenant of page) open += await retry(services, tenant, 'unfinished', print)
  return open
}

async function retry(
  services: Services,
  { id, slug, name }: Pick<TenantRow, 'id' | 'slug' | 'name'>,
  which: 'all' | 'unfinished',
  print: (line: string) => void,
): Promise<0 | 1> {
  if (!(await runProvisioning(services, id, which))) {
    print(`${slug} is being provisioned by another process`)
    return 1
  }
  await enqueueMembers(services, id)
  const states = await listStepStates(services.database.db, id)
  const results = Object.fromEntries(
    provisioningSteps.map((step) => {
      const row = states.find((one) => one.step === step)
      return [step, { state: row?.state ?? 'pending', message: row?.error ?? null }]
    }),
  )
  const failed = Object.values(results).some(({ state }) => state === 'error')
  print(
    `${slug} ${Object.entries(results)
      .map(([step, { state, message }]) => `${step} ${state}${message ? ` (${message})` : ''}`)
      .join(', ')}`,
  )
  await recordCommand(services, {
    action: 'tenant.reconciled',
    outcome: failed ? 'failure' : 'success',
    resourceType: 'tenant',
    resourceId: id,
    resourceName: name,
    tenantSlug: slug,
    metadata: { results },
  })
  return failed ? 1 : 0
}
