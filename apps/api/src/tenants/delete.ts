import { AppError, findAppError } from '@atrium/core/platform/errors'
import type { DeleteTenant } from '@atrium/core/tenants/tenants'
import { type MovedDomain, releaseDomains } from '@atrium/db/mail/released-domains'
import type { Trx } from '@atrium/db/platform/connect'
import { transitionTenant } from '@atrium/db/tenants/tenant-access'
import type { LockedTenant } from '@atrium/db/tenants/tenants'
import { oneAtATime } from '../billing/subscriptions/at-processor.ts'
import {
  type EndedSubscription,
  endForDeletion,
} from '../billing/subscriptions/end-for-deletion.ts'
import { subscriptionEntry } from '../billing/subscriptions/record.ts'
import { followMovedDomains } from '../mail/domains/release.ts'
import { followAccess } from '../provisioning/follow-access.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { follow, recordTurn, type Turned, turn } from './turn.ts'

/**
 * Soft delete: the record and its slug stay, nothing outside is destroyed. A running subscription
 * ends in the same act, also while billing is closed; what was paid for the rest of its period
 * becomes credit. When the payment processor does not end it, nothing is deleted: throws AppError
 * `upstream_failed` or `payments_not_configured`, which say so. 409 `already_deleted` the second
 * time, unless `releaseDomains` asks for what may be left to do: a deleted tenant gives up the
 * domains that it still has.
 */
export async function deleteTenant(
  ctx: Context,
  access: Access,
  { releaseDomains: release = false }: DeleteTenant,
): Promise<void> {
  const { services } = ctx
  if (release && access.tenant.status === 'deleted') return releaseOfDeleted(ctx, access)
  let ended: EndedSubscription | undefined
  let released: MovedDomain[] = []
  const turned = await oneAtATime(services, () =>
    turn(ctx, access, {
      before: async (trx) => {
        ended = await endForDeletion(trx, services, access.tenant)
      },
      apply: async (trx, tenant) => {
        await transitionTenant(trx, tenant.id, {
          status: 'deleted',
          restoreDays: services.config.tenantRestoreDays,
        })
        if (release) released = await releaseDomains(trx, tenant, services.config.tenantDomain)
        return 'deleted'
      },
      record: async (trx, turned) => {
        await recordTurn(ctx, trx, access, turned, { action: 'tenant.deleted' })
        await recordRelease(ctx, trx, access, turned.name, released)
        if (!ended) return
        const { before, after } = ended
        const entry = subscriptionEntry('subscription.canceled', before, after, { when: 'now' })
        await services.audit.record(ctx, access.caller, entry, trx)
      },
      whenDeleted: 'already_deleted',
    }),
  ).catch((error: unknown) => {
    if (release && findAppError(error)?.code === 'already_deleted') return undefined
    throw error
  })
  if (!turned) return releaseOfDeleted(ctx, access)
  await followMovedDomains(services, turned.id)
  await follow(ctx, access, turned)
}

/** A second call finds nothing left to release. */
async function releaseOfDeleted(ctx: Context, access: Access): Promise<void> {
  const { services } = ctx
  let released: MovedDomain[] = []
  const apply = async (trx: Trx, tenant: LockedTenant) => {
    // Restored at this moment.
    if (tenant.status !== 'deleted') throw new AppError('not_deleted')
    released = await releaseDomains(trx, tenant, services.config.tenantDomain)
    return tenant.status
  }
  const record = (trx: Trx, { name }: Turned) => recordRelease(ctx, trx, access, name, released)
  const { id } = await turn(ctx, access, { apply, record, evenDeleted: true })
  await followMovedDomains(services, id)
  await followAccess(services, id)
}

async function recordRelease(
  ctx: TransactionContext,
  trx: Trx,
  { caller, tenant }: Access,
  name: string,
  released: readonly MovedDomain[],
): Promise<void> {
  if (released.length === 0) return
  const entry: AuditEntry = {
    action: 'tenant.domains_released',
    resourceType: 'tenant',
    resourceId: tenant.id,
    resourceName: name,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: {
      domains: released.map(({ name }) => name),
      replacedBy: released.map(({ replacedBy }) => replacedBy),
    },
  }
  await ctx.services.audit.record(ctx, caller, entry, trx)
}
