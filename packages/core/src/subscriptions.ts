import { z } from 'zod'
import { plan } from './tenants.ts'
import { instant } from './text.ts'

export const billingCycles = ['month', 'year'] as const
export const billingCycle = z.enum(billingCycles)
export type BillingCycle = z.infer<typeof billingCycle>

/** Who knows the truth about a subscription: we alone, or the payment processor. */
export const subscriptionSources = ['manual', 'stripe'] as const
export const subscriptionSource = z.enum(subscriptionSources)
export type SubscriptionSource = z.infer<typeof subscriptionSource>

/** The payment processor's eight, and `unknown` for a word that came later. Only `active` and `past_due` count as recurring revenue. */
export const subscriptionStatuses = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
  'unknown',
] as const
export const subscriptionStatus = z.enum(subscriptionStatuses)
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>

/** Statuses that are never left. */
export const endedStatuses: readonly SubscriptionStatus[] = ['canceled', 'incomplete_expired']

/** A change that waits for the end of the period. */
export const PendingChange = z.object({
  plan: plan.optional(),
  cycle: billingCycle.optional(),
  seats: z.number().int().optional(),
  effectiveAt: instant,
  requestedBy: z.string().nullable(),
})
export type PendingChange = z.infer<typeof PendingChange>
