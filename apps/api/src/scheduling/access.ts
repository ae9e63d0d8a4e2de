import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findHost, findHostOfUser, type HostRow } from '@atrium/db/scheduling/hosts'
import { type Access, isCustodian } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'

export const noSuchHost = () => new AppError('not_found', errorText('unknownHost'))

/**
 * Admins, owners and operators act for every host of the tenant, other members for the host that
 * they are.
 */
export function mayActFor(
  { caller, tenant }: Access,
  host: Pick<HostRow, 'tenantId' | 'userId'>,
): boolean {
  if (host.tenantId !== tenant.id) return false
  return canActForAll({ caller, tenant }) || (caller.id !== undefined && caller.id === host.userId)
}

/** Whether the caller acts for every host of the tenant. */
export function canActForAll({ caller, tenant }: Pick<Access, 'caller' | 'tenant'>): boolean {
  const { role } = tenant
  return caller.operator || role === 'admin' || role === 'owner' || isCustodian(caller, tenant)
}

/** Throws AppError `not_admin` for callers who may not act for the host. */
export function requireHostAccess(
  access: Access,
  host: Pick<HostRow, 'tenantId' | 'userId'>,
): void {
  if (!mayActFor(access, host)) throw new AppError('not_admin', errorText('hostOrAdmin'))
}

/** A host of the tenant that the caller may act for. Throws AppError `not_found`, `not_admin`. */
export async function ownHost(
  services: Services,
  access: Access,
  hostId: string,
): Promise<HostRow> {
  const host = await findHost(services.database.db, access.tenant.id, hostId)
  if (!host) throw noSuchHost()
  requireHostAccess(access, host)
  return host
}

/**
 * Whose hosts the caller may see the business of: `all`, or the one that the caller is; undefined
 * for a member who is no host.
 */
export async function hostsInReach(
  services: Services,
  access: Access,
): Promise<'all' | HostRow | undefined> {
  if (canActForAll(access)) return 'all'
  return access.caller.id === undefined
    ? undefined
    : findHostOfUser(services.database.db, access.tenant.id, access.caller.id)
}
