import { isEnded } from '@atrium/core/billing/subscription-life'
import { AppError } from '@atrium/core/platform/errors'
import type { RestoredTenant, RestoreTenant } from '@atrium/core/tenants/tenants'
import { findTenantSubscription } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import { transitionTenant } from '@atrium/db/tenants/tenant-access'
import { isRestoreOver } from '@atrium/db/tenants/tenant-purges'
import type { LockedTenant } from '@atrium/db/tenants/tenants'
import { followEntitlements } from '../billing/entitlements/follow.ts'
import { isDomainTaken } from '../mail/domains/available.ts'
import { followMovedDomains, type LostDomain, takeBack } from '../mail/domains/release.ts'
import { statusWithoutSuspension } from '../provisioning/follow-access.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { follow, recordTurn, type Turned, turn } from './turn.ts'

/**
 * Restores a deleted tenant as it was, including a suspension: members, mailboxes, lists, domains
 * and files. Its subscription stays ended, and released domains that another tenant has proved are
 * not restored: the response names both. 409 `not_deleted`, and `restore_expired` after the restore
 * period.
 */
export async function restoreTenant(
  ctx: Context,
  access: Access,
  input: RestoreTenant,
): Promise<RestoredTenant> {
  const { services } = ctx
  const { db } = services.database
  const { turned, lostDomains } = await restore(ctx, access, input).catch((error: unknown) => {
    // Another tenant proved a released domain at this moment: it is theirs now.
    if (isDomainTaken(error)) return restore(ctx, access, input)
    throw error
  })
  // The names first: mailboxes and lists depend on their domain.
  await followMovedDomains(services, turned.id)
  const tenant = await follow(ctx, access, turned)
  const last = await findTenantSubscription(db, turned.id)
  if (!last || !isEnded(last.status)) return { tenant, endedSubscription: null, lostDomains }
  return {
    tenant,
    endedSubscription: {
      plan: last.plan,
      seats: last.seats,
      endedAt: last.endedAt?.toISOString() ?? null,
    },
    lostDomains,
  }
}

async function restore(
  ctx: Context,
  access: Access,
  { reason }: RestoreTenant,
): Promise<{ turned: Turned; lostDomains: LostDomain[] }> {
  const { services } = ctx
  let lostDomains: LostDomain[] = []
  const apply = async (trx: Trx, tenant: LockedTenant) => {
    if (tenant.status !== 'deleted') throw new AppError('not_deleted')
    if (await isRestoreOver(trx, tenant.id)) throw new AppError('restore_expired')
    lostDomains = await takeBack(trx, services, tenant)
    const status =
      tenant.suspended_at === null ? await statusWithoutSuspension(trx, tenant.id) : 'suspended'
    await transitionTenant(
      trx,
      tenant.id,
      status === 'suspended' ? { status, again: true } : { status },
    )
    // Plan and seats were not followed while the tenant was deleted.
    await followEntitlements(trx, services, tenant.id, { provisions: true })
    return status
  }
  const record = (trx: Trx, turned: Turned) =>
    recordTurn(ctx, trx, access, turned, {
      action: 'tenant.restored',
      reason,
      ...(lostDomains.length > 0 ? { lostDomains: lostDomains.map(({ name }) => name) } : {}),
    })
  return { turned: await turn(ctx, access, { apply, record, evenDeleted: true }), lostDomains }
}
