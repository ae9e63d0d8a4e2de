import { hasPartnerRight } from '@atrium/core/partners/partner-access'
import type {
  CustomerPage,
  CustomerView,
  ListCustomers,
  ResumeCustomer,
  SuspendCustomer,
  UpdateCustomer,
} from '@atrium/core/partners/partners'
import { cutPage } from '@atrium/core/platform/paging'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { type YearlyRevenue, yearlyRevenueOfTenants } from '@atrium/db/partners/partners'
import { listTenants as queryTenants } from '@atrium/db/tenants/tenants'
import { readSuspensionReason } from '../billing/invoices/lift-suspension.ts'
import type { Context } from '../rpc/context.ts'
import type { Access, OwnPartner } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'
import { resumeTenant, suspendTenant } from '../tenants/lifecycle.ts'
import { updateTenant } from '../tenants/update.ts'
import { toTenantView } from '../tenants/view.ts'
import { monthlyOf } from './view.ts'

/**
 * What the guard of a customer proves: the right at the partner, and the tenant that the partner
 * owns.
 */
interface OwnCustomer {
  partnerAccess: OwnPartner
  access: Access
}

/**
 * The partner's tenants, newest first; revenue of the whole page is one statement. Deleted ones
 * come only by that status.
 */
export async function listCustomers(
  { services }: Context,
  proof: OwnPartner,
  input: ListCustomers,
): Promise<CustomerPage> {
  const { q, status, cursor, limit } = input
  const { db } = services.database
  const rows = await queryTenants(db, {
    scope: { everything: true },
    partnerSlug: proof.partner.slug,
    q,
    status,
    before: cursor,
    limit,
  })
  const { items, nextCursor } = cutPage(rows, limit)
  const revenue = await yearlyRevenueOfTenants(
    db,
    items.map(({ id }) => id),
  )
  const now = services.clock.now()
  return {
    items: items.map((row) => toCustomerView(toTenantView(row, null, now), revenue, proof)),
    nextCursor,
  }
}

/** Changes a customer as `PATCH /tenants/{slug}` does, with the same rejections. */
export async function updateCustomer(
  ctx: Context,
  { access, partnerAccess }: OwnCustomer,
  input: UpdateCustomer,
): Promise<CustomerView> {
  const { slug: _, tenantSlug, ...fields } = input
  return withRevenue(
    ctx.services,
    await updateTenant(ctx, access, { slug: tenantSlug, ...fields }),
    partnerAccess,
  )
}

/** Suspends a customer as `POST /tenants/{slug}/suspend` does. */
export async function suspendCustomer(
  ctx: Context,
  { access, partnerAccess }: OwnCustomer,
  input: SuspendCustomer,
): Promise<CustomerView> {
  return withRevenue(
    ctx.services,
    await suspendTenant(ctx, access, {
      slug: input.tenantSlug,
      reason: input.reason,
      mode: input.mode,
    }),
    partnerAccess,
  )
}

/** Ends the suspension of a customer as `POST /tenants/{slug}/resume` does. */
export async function resumeCustomer(
  ctx: Context,
  { access, partnerAccess }: OwnCustomer,
  input: ResumeCustomer,
): Promise<CustomerView> {
  return withRevenue(
    ctx.services,
    await resumeTenant(ctx, access, { slug: input.tenantSlug, reason: input.reason }),
    partnerAccess,
  )
}

async function withRevenue(
  { database }: Services,
  tenant: TenantView,
  proof: OwnPartner,
): Promise<CustomerView> {
  return toCustomerView(tenant, await yearlyRevenueOfTenants(database.db, [tenant.id]), proof)
}

function toCustomerView(
  tenant: TenantView,
  revenue: readonly YearlyRevenue[],
  { access }: OwnPartner,
): CustomerView {
  return {
    id: tenant.id,
    slug: tenant.slug,
    name: tenant.name,
    status: tenant.status,
    suspendedReason: readSuspensionReason(tenant.suspendedReason),
    suspensionMode: tenant.suspensionMode,
    plan: tenant.plan,
    seats: tenant.seats,
    members: tenant.memberCount,
    industry: tenant.industry,
    brandColor: tenant.brandColor,
    primaryDomain: tenant.primaryDomain,
    owner: tenant.owner && { email: tenant.owner.email, name: tenant.owner.name },
    health: tenant.health,
    mrr:
      access === null || hasPartnerRight(access, 'reports') ? monthlyOf(revenue, tenant.id) : null,
    editVersion: tenant.editVersion,
    createdAt: tenant.createdAt,
    updatedAt: tenant.updatedAt,
  }
}
