import { changedFields } from '@atrium/core/audit/audit'
import type { CheckedBillingInfo, UpdateBillingInfo } from '@atrium/core/billing/billing-info'
import { AppError } from '@atrium/core/platform/errors'
import { findBillingInfo, saveBillingInfo } from '@atrium/db/billing/billing-info'
import { lockTenant } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import { requireVersion } from '../../rpc/edit-version.ts'
import type { Access } from '../../rpc/guards.ts'
import { rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { tellBillingInfo } from '../invoices/tax-id.ts'
import { checkVatNumber, putUpForCheck } from '../taxes/check-vat-number.ts'
import { checkedBillingInfo, withVatStatus } from './check.ts'
import { readBillingInfo } from './get.ts'

/** A person waits for the register this long; after that the job asks. */
const vatDeadlineMs = 5_000

/**
 * Changes the fields that are given; null removes one. Possible while the tenant is suspended,
 * because a suspension may be about a bill. Throws AppError `invalid_input` for a VAT number of
 * another form than its country's. A number that stays is not checked again, so that one which was
 * let in under older rules does not keep an address from being changed.
 */
export async function updateBillingInfo(
  ctx: Context,
  access: Access,
  input: UpdateBillingInfo,
): Promise<CheckedBillingInfo> {
  const { services } = ctx
  const { slug, expectedVersion, ...provided } = input
  const { tenantId, changes } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockTenant(trx, slug)
    if (!tenant) throw new AppError('not_found')
    if (tenant.status === 'deleted') throw new AppError('tenant_deleted')
    await rejectFormerAdmin(trx, access)
    const stored = await findBillingInfo(trx, tenant.id)
    requireVersion(expectedVersion, withVatStatus(stored))
    const named = Object.fromEntries(
      Object.entries(provided).filter(([, value]) => value !== undefined),
    )
    const requested = { ...stored, ...named }
    const result =
      provided.vatNumber === undefined ? withVatStatus(requested) : checkedBillingInfo(requested)
    await saveBillingInfo(trx, tenant.id, result.billingInfo)
    if (result.billingInfo.vatNumber !== stored.vatNumber)
      await putUpForCheck(trx, services.config, {
        tenantId: tenant.id,
        vatNumber: result.billingInfo.vatNumber,
        now: services.clock.now(),
      })
    const changed = changedFields(stored, result.billingInfo, Object.keys(result.billingInfo))
    if (Object.keys(changed).length > 0) {
      const entry: AuditEntry = {
        action: 'billing_info.updated',
        resourceType: 'tenant',
        resourceId: tenant.id,
        resourceName: tenant.name,
        tenantSlug: tenant.slug,
        partnerSlug: tenant.partnerSlug,
        metadata: { changes: changed, vatStatus: result.vatStatus },
      }
      await services.audit.record(ctx, access.caller, entry, trx)
    }
    return { tenantId: tenant.id, changes: changed }
  })
  if (Object.keys(changes).length > 0) {
    if (changes.vatNumber !== undefined)
      await checkVatNumber(services, tenantId, AbortSignal.timeout(vatDeadlineMs))
    await tellBillingInfo(services, tenantId)
  }
  return readBillingInfo(services, access.tenant.id)
}
