import { changedFields } from '@atrium/core/audit/audit'
import type {
  BillingAddressState,
  BillingAddressView,
  SetBillingAddress,
} from '@atrium/core/billing/documents/views'
import { missingForTax } from '@atrium/core/billing/taxes'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findBillingInfo } from '@atrium/db/billing/billing-info'
import {
  findPartnerAddress,
  findTenantAddress,
  savePartnerAddress,
  saveTenantAddress,
} from '@atrium/db/billing/documents'
import { lockTenant } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access, OwnPartner } from '../../rpc/guards.ts'
import { rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { lockOwnPartner } from '../../rpc/partner-lock.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { tellBillingInfo } from '../invoices/tax-id.ts'
import { addressTexts } from '../taxes/sale-tax.ts'

export async function getTenantAddress(
  { services }: Context,
  { tenant }: Access,
): Promise<BillingAddressState> {
  return { address: await findTenantAddress(services.database.db, tenant.id) }
}

/**
 * Sets where the tenant is, which its invoices must name, and tells the payment processor, which
 * computes tax by it. Documents that wait for it are issued by the next run. Throws AppError
 * `tenant_deleted`, and `invalid_input` for an address that Stripe Tax cannot place.
 */
export async function setTenantAddress(
  ctx: Context,
  access: Access,
  input: SetBillingAddress,
): Promise<BillingAddressState> {
  const { services } = ctx
  const { tenant } = access
  const address = toView(input)
  const changed = await tenantTransaction(services, tenant.id, async (trx) => {
    const locked = await lockTenant(trx, tenant.slug)
    if (!locked) throw new AppError('not_found')
    if (locked.status === 'deleted') throw new AppError('tenant_deleted')
    await rejectFormerAdmin(trx, access)
    if (services.config.billing.tax.mode === 'stripe_tax')
      rejectUntaxable(address, (await findBillingInfo(trx, tenant.id)).country)
    const stored = await findTenantAddress(trx, tenant.id)
    await saveTenantAddress(trx, tenant.id, address)
    const changes = changedFields({ ...stored }, { ...address }, Object.keys(address))
    if (Object.keys(changes).length === 0) return false
    const entry: AuditEntry = {
      action: 'billing_info.updated',
      resourceType: 'tenant',
      resourceId: tenant.id,
      resourceName: tenant.slug,
      tenantSlug: tenant.slug,
      partnerSlug: tenant.partnerSlug,
      metadata: { changes },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
    return true
  })
  if (changed) await tellBillingInfo(services, tenant.id)
  return { address }
}

function rejectUntaxable(
  { postalCode, region: state }: BillingAddressView,
  country: string | null,
): void {
  if (country === null || missingForTax({ country, postalCode, state }) === null) return
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'postalCode', message: errorText(addressTexts.postalCode) }],
  })
}

export async function getPartnerAddress(
  { services }: Context,
  { partner }: OwnPartner,
): Promise<BillingAddressState> {
  return { address: await findPartnerAddress(services.database.db, partner.id) }
}

/** The same for a partner, whose statements must name it. Throws AppError as `lockOwnPartner`. */
export async function setPartnerAddress(
  ctx: Context,
  own: OwnPartner,
  input: SetBillingAddress,
): Promise<BillingAddressState> {
  const { services } = ctx
  const { caller, partner } = own
  const address = toView(input)
  await services.database.db.transaction().execute(async (trx) => {
    // An operator sets it for a partner that was terminated too, whose earnings stay payable.
    if (!caller.operator) await lockOwnPartner(trx, own, 'manageStaff')
    const stored = await findPartnerAddress(trx, partner.id)
    await savePartnerAddress(trx, partner.id, address)
    const changes = changedFields({ ...stored }, { ...address }, Object.keys(address))
    if (Object.keys(changes).length === 0) return
    const entry: AuditEntry = {
      action: 'partner_settings.updated',
      resourceType: 'partner',
      resourceId: partner.id,
      resourceName: partner.slug,
      partnerSlug: partner.slug,
      metadata: { changes },
    }
    await services.audit.record(ctx, caller, entry, trx)
  })
  return { address }
}

const toView = ({
  line1,
  line2,
  postalCode,
  city,
  region,
}: SetBillingAddress): BillingAddressView => ({
  line1,
  line2: line2 ?? null,
  postalCode: postalCode ?? null,
  city,
  region: region ?? null,
})
