import { divideRounded, toShownNumber } from '@atrium/core/billing/money'
import { hasPartnerRight, type PartnerAccess } from '@atrium/core/partners/partner-access'
import type { PartnerView, RecurringRevenue } from '@atrium/core/partners/partners'
import {
  type PartnerRecord,
  readPartner,
  type YearlyRevenue,
  yearlyRevenueOfPartners,
} from '@atrium/db/partners/partners'
import { withVatStatus } from '../billing/billing-info/check.ts'
import { withEditVersion } from '../rpc/edit-version.ts'
import type { Services } from '../rpc/services.ts'

/** The day that identifies a margin, in UTC. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/**
 * The row as the caller sees it: money only where `access` shows it, everything for operators,
 * whose access is null.
 */
export function toPartnerView(
  row: PartnerRecord,
  revenue: readonly YearlyRevenue[],
  access: PartnerAccess | null,
): PartnerView {
  const shows = (right: 'finance' | 'reports') => access === null || hasPartnerRight(access, right)
  const { billingInfo, vatStatus, warnings } = withVatStatus(row.billingInfo)
  const view = {
    id: row.id,
    slug: row.slug,
    name: row.name,
    domain: row.domain,
    status: row.status,
    suspendedReason: row.suspendedReason,
    suspendedAt: row.suspendedAt?.toISOString() ?? null,
    terminatedAt: row.terminatedAt?.toISOString() ?? null,
    marginPct: shows('finance') ? row.marginPct : null,
    nextMargin: shows('finance') ? row.nextMargin : null,
    contactInfo: row.contactInfo,
    billingInfo,
    vatStatus,
    warnings,
    customers: row.customers,
    staff: row.staff,
    mrr: shows('reports') ? monthlyOf(revenue, row.id) : null,
    access,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
  return withEditVersion(view, [
    row.name,
    row.domain,
    row.status,
    row.marginPct,
    row.nextMargin,
    row.contactInfo,
    row.billingInfo,
  ])
}

/**
 * Whole yearly amounts become monthly ones, rounded once per currency (docs/reference/contract.md,
 * reports).
 */
export function monthlyOf(revenue: readonly YearlyRevenue[], id: string): RecurringRevenue[] {
  return revenue
    .filter((one) => one.id === id)
    .map(({ currency, arr }) => ({
      currency,
      mrrMinor: toShownNumber(divideRounded(BigInt(arr), 12n)),
    }))
}

/** The current partner. */
export async function readPartnerView(
  { database, clock }: Services,
  id: string,
  access: PartnerAccess | null,
): Promise<PartnerView> {
  const [row, revenue] = await Promise.all([
    readPartner(database.db, id, dayOf(clock.now())),
    yearlyRevenueOfPartners(database.db, [id]),
  ])
  if (!row) throw new Error(`the partner ${id} has vanished`)
  return toPartnerView(row, revenue, access)
}
