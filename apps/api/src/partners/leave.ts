import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerOwner } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { moveToPartner } from '../tenants/move-to-partner.ts'

/**
 * Ends the partner's management of a tenant: its owner leaves. The partner's rights end at once;
 * subscription, price and data stay. Not while the tenant is suspended, which its partner may have
 * done for an unpaid invoice. Throws AppError `partner_unavailable` without a partner,
 * `tenant_suspended`, `tenant_deleted`, `not_owner`.
 */
export async function leavePartner(ctx: Context, access: Access): Promise<void> {
  const { services } = ctx
  const { tenant, caller } = access
  await tenantTransaction(services, tenant.id, async (trx) => {
    const locked = await lockOpenTenant(trx, tenant.slug)
    await rejectFormerOwner(trx, access)
    if (locked.partner_id === null)
      throw new AppError('partner_unavailable', errorText('noPartner'))
    const move = { tenantId: locked.id, from: locked.partner_id, to: null }
    const former = await moveToPartner(trx, services, move)
    const entry: AuditEntry = {
      action: 'partner_transfer.left',
      resourceType: 'tenant',
      resourceId: tenant.id,
      resourceName: locked.name,
      tenantSlug: tenant.slug,
      partnerSlug: former?.slug ?? null,
      metadata: { partner: null, formerPartner: former?.slug ?? null },
    }
    await services.audit.record(ctx, caller, entry, trx)
  })
}
