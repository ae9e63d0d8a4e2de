import type { AuditAction } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Trx } from '@atrium/db/platform/connect'
import type { Keyring } from '@atrium/db/platform/encryption'
import { type HostRow, lockHost } from '@atrium/db/scheduling/hosts'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import { currentRole } from '../../rpc/current-role.ts'
import type { Access } from '../../rpc/guards.ts'
import {
  isStillCustodian,
  lockOpenTenant,
  type OpenTenant,
  rejectFormerDelegate,
} from '../../rpc/open-tenant.ts'
import type { Services, TransactionContext } from '../../rpc/services.ts'
import { noSuchHost } from '../access.ts'

/**
 * The keys without which nothing of scheduling can be written. Throws AppError
 * `scheduling_not_configured`.
 */
export function requireKeyring(services: Services): Keyring {
  if (!services.config.keyring) throw new AppError('scheduling_not_configured')
  return services.config.keyring
}

/**
 * Checks the caller's right again, in the transaction of a change: for the person's own host a
 * membership is enough, for others' it takes an admin. Throws AppError `not_member`, `not_admin`.
 */
export async function rejectFormerActor(trx: Trx, access: Access, own: boolean): Promise<void> {
  const { caller, tenant } = access
  if (caller.operator) return
  if (caller.onBehalf) return rejectFormerDelegate(trx, access)
  const role = await currentRole(trx, caller, tenant.id)
  if (role === 'admin' || role === 'owner' || (role === 'member' && own)) return
  if (await isStillCustodian(trx, access)) return
  throw role === undefined
    ? new AppError('not_member')
    : new AppError('not_admin', errorText('hostOrAdmin'))
}

/**
 * Tenant and host under their locks, for a change by a caller who may make it. Throws AppError
 * `tenant_suspended`, `not_found`, `not_admin` and others.
 */
export async function lockOwnHost(
  trx: TenantTrx,
  access: Access,
  hostId: string,
): Promise<{ tenant: OpenTenant; host: HostRow }> {
  const tenant = await lockOpenTenant(trx, access.tenant.slug)
  const host = await lockHost(trx, tenant.id, hostId)
  if (!host) throw noSuchHost()
  await rejectFormerActor(trx, access, host.userId === access.caller.id)
  return { tenant, host }
}

/** Records a change of a host in its transaction. */
export function recordHost(
  ctx: TransactionContext,
  trx: Trx,
  { caller, tenant }: Access,
  entry: {
    action: AuditAction
    host: Pick<HostRow, 'id' | 'slug'>
    metadata?: Record<string, unknown>
  },
): Promise<void> {
  const { action, host, metadata = {} } = entry
  const written: AuditEntry = {
    action,
    resourceType: 'host',
    resourceId: host.id,
    resourceName: host.slug,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata,
  }
  return ctx.services.audit.record(ctx, caller, written, trx)
}
