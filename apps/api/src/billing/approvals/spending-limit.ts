import type { AuditAction } from '@atrium/core/audit/audit'
import {
  monthStart,
  type SetSpendingLimit,
  type SpendingLimitView,
} from '@atrium/core/billing/approvals'
import { toMinorNumber } from '@atrium/core/billing/money'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  deleteSpendingLimit,
  findSpendingLimit,
  saveSpendingLimit,
  sumWithinLimit,
} from '@atrium/db/billing/approvals'
import { findSubscriber, lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'

/** What the tenant's partner may order without asking; null without a limit. */
export async function getSpendingLimit(
  { services }: { services: Services },
  { tenant }: Pick<Access, 'tenant'>,
): Promise<SpendingLimitView | null> {
  const { db } = services.database
  const limit = await findSpendingLimit(db, tenant.id)
  if (!limit) return null
  const { partnerId, partnerName, currency, setBy } = limit
  const from = monthStart(services.clock.now())
  const used = await sumWithinLimit(db, { tenantId: tenant.id, partnerId, currency, from })
  return {
    currency,
    amountMinor: toMinorNumber(limit.amount),
    usedMinor: toMinorNumber(used),
    partnerName,
    setBy,
    setAt: limit.setAt.toISOString(),
  }
}

/**
 * Sets how much the tenant's present partner may order in a month. It replaces an earlier limit.
 * Waits for orders that are under way, so that they count. Throws AppError `partner_unavailable`
 * for a tenant without a partner.
 */
export async function setSpendingLimit(
  ctx: Context,
  access: Access,
  { currency, amountMinor }: SetSpendingLimit,
): Promise<SpendingLimitView> {
  const { services } = ctx
  const { tenant, caller } = access
  await services.database.db.transaction().execute(async (trx) => {
    await lockSubscriptionsOf(trx, tenant.id)
    const partnerId = (await findSubscriber(trx, tenant.id))?.partnerId
    if (!partnerId) throw new AppError('partner_unavailable', errorText('noPartner'))
    await saveSpendingLimit(trx, {
      tenantId: tenant.id,
      partnerId,
      currency,
      amount: amountMinor,
      setBy: caller.id ?? null,
      setAt: services.clock.now(),
    })
    const entry = entryOf(access, 'spending_limit.set', { currency, amountMinor })
    await services.audit.record(ctx, caller, entry, trx)
  })
  const limit = await getSpendingLimit(ctx, access)
  if (!limit) throw new AppError('partner_unavailable', errorText('noPartner'))
  return limit
}

/** Removes the limit; without one nothing changes. */
export async function removeSpendingLimit(ctx: Context, access: Access): Promise<void> {
  const { services } = ctx
  await services.database.db.transaction().execute(async (trx) => {
    await lockSubscriptionsOf(trx, access.tenant.id)
    if (!(await deleteSpendingLimit(trx, access.tenant.id))) return
    const entry = entryOf(access, 'spending_limit.removed')
    await services.audit.record(ctx, access.caller, entry, trx)
  })
}

const entryOf = (
  { tenant }: Access,
  action: AuditAction,
  metadata: Record<string, unknown> = {},
): AuditEntry => ({
  action,
  resourceType: 'tenant',
  resourceId: tenant.id,
  resourceName: tenant.slug,
  tenantSlug: tenant.slug,
  partnerSlug: tenant.partnerSlug,
  metadata,
})
