import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import { activeRole } from '@atrium/db/members/members'
import { staffAccess } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { isServiceTokenActive } from '@atrium/db/service-tokens/callers'
import type { Caller } from './caller.ts'

/**
 * The caller's role in a tenant now, in the transaction of a change: a membership may have ended
 * since the guard ran, and a service token been revoked. By the database's clock.
 */
export async function currentRole(
  trx: Trx,
  { id, service }: Caller,
  tenantId: string,
): Promise<TenantRole | undefined> {
  if (service)
    return (await isServiceTokenActive(trx, service.id, { tenantId })) ? 'admin' : undefined
  return id === undefined ? undefined : activeRole(trx, tenantId, id)
}

/** The same for the caller's level on the staff of a partner. */
export async function currentAccess(
  trx: Trx,
  { id, service }: Caller,
  partnerId: string,
): Promise<PartnerAccess | undefined> {
  if (service)
    return (await isServiceTokenActive(trx, service.id, { partnerId })) ? 'manager' : undefined
  return id === undefined ? undefined : staffAccess(trx, partnerId, id)
}
