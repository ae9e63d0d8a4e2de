import { z } from 'zod'
import { minorAmount } from '../billing/money.ts'
import { RecurringRevenue } from './partners.ts'

const count = z.number().int()

/** Why a customer is worth a look, most urgent first. */
export const attentionReasons = [
  'past_due',
  'provisioning_failed',
  'suspended',
  'at_risk',
  'seats_exhausted',
] as const

/**
 * The current state of a partner's business. What the caller's access level does not show is null.
 */
export const PartnerOverview = z.object({
  customers: z.object({ total: count, active: count, pending: count, suspended: count }),
  /**
   * Customers that are not suspended, by the band of their health. `unscored`: new, or too little
   * is known.
   */
  health: z.object({ healthy: count, watch: count, atRisk: count, unscored: count }),
  mrr: z.array(RecurringRevenue).nullable(),
  /** What was earned since the first of this month (UTC), clawbacks subtracted. */
  earnedThisMonth: z.array(z.object({ currency: z.string(), amountMinor: minorAmount })).nullable(),
  attention: z.array(
    z.object({ reason: z.enum(attentionReasons), tenantSlug: z.string(), name: z.string() }),
  ),
})
export type PartnerOverview = z.infer<typeof PartnerOverview>
