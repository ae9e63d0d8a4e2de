import type { Database } from '@atrium/db/platform/connect'
import {
  beginGroupRename,
  endGroupRename,
  listAdministratorsInTenant,
  listTenantGroups,
  type TenantGroup,
} from '@atrium/db/tenants/tenant-groups'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'

export interface RenamedGroups {
  renamed: number
  /** Platform administrators who were taken out of a tenant's group. */
  administratorsOut: number
  /** One line per tenant whose group could not be renamed. */
  failed: string[]
}

const pageSize = 200

/**
 * Renames every tenant's group at the identity provider to `prefix` + slug, and removes platform
 * administrators from the groups. Continues an interrupted run; a tenant that fails does not block
 * the others. Recorded first, so that a process that dies in between leaves a rename that the next
 * run completes, and no token removes anyone from the tenant meanwhile.
 */
export async function renameTenantGroups(
  database: Database,
  identity: IdentityProvider,
  prefix: string,
): Promise<RenamedGroups> {
  const done: RenamedGroups = { renamed: 0, administratorsOut: 0, failed: [] }
  for (let after = ''; ; ) {
    const tenants = await listTenantGroups(database.db, after, pageSize)
    for (const tenant of tenants) {
      try {
        if (await renameGroup(database, identity, tenant, prefix + tenant.slug)) done.renamed++
        done.administratorsOut += await takeAdministratorsOut(database, identity, tenant)
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        done.failed.push(`${tenant.slug}: ${error.message}`)
      }
    }
    const last = tenants.at(-1)
    if (!last) return done
    after = last.slug
  }
}

async function renameGroup(
  database: Database,
  identity: IdentityProvider,
  tenant: TenantGroup,
  name: string,
): Promise<boolean> {
  const { tenantId, groupId } = tenant
  if (tenant.name === name && !tenant.unfinished) return false
  await beginGroupRename(database.db, tenantId, name)
  if (groupId !== null) await identity.renameGroup({ groupId, name })
  await endGroupRename(database.db, tenantId)
  return true
}

async function takeAdministratorsOut(
  database: Database,
  identity: IdentityProvider,
  tenant: TenantGroup,
): Promise<number> {
  const { tenantId, groupId } = tenant
  if (groupId === null) return 0
  const userIds = await listAdministratorsInTenant(database.db, tenantId)
  for (const userId of userIds) await identity.removeFromGroup({ groupId, userId })
  return userIds.length
}
