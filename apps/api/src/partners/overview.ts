import { toMinorNumber } from '@atrium/core/billing/money'
import { hasPartnerRight } from '@atrium/core/partners/partner-access'
import type { PartnerOverview } from '@atrium/core/partners/partner-overview'
import { countCustomers, earnedSince, listAttention } from '@atrium/db/partners/partner-overview'
import { yearlyRevenueOfPartners } from '@atrium/db/partners/partners'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { monthlyOf } from './view.ts'

const shownAtMost = 10

/**
 * A partner's overview: customers, revenue, earnings of the month so far, and what needs attention.
 */
export async function getPartnerOverview(
  { services }: Context,
  { partner, access }: OwnPartner,
): Promise<PartnerOverview> {
  const { db } = services.database
  const shows = (right: 'finance' | 'reports') => access === null || hasPartnerRight(access, right)
  const now = services.clock.now()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
  const [counts, revenue, earned, attention] = await Promise.all([
    countCustomers(db, partner.id),
    shows('reports') ? yearlyRevenueOfPartners(db, [partner.id]) : undefined,
    shows('finance') ? earnedSince(db, partner.id, month) : undefined,
    listAttention(db, partner.id, shownAtMost),
  ])
  const { total, active, pending, suspended, ...health } = counts
  return {
    customers: { total, active, pending, suspended },
    health,
    mrr: revenue ? monthlyOf(revenue, partner.id) : null,
    earnedThisMonth:
      earned?.map(({ currency, amount }) => ({ currency, amountMinor: toMinorNumber(amount) })) ??
      null,
    attention,
  }
}
