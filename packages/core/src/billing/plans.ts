export const plans = ['free', 'starter', 'business', 'enterprise'] as const
export type Plan = (typeof plans)[number]

const gibibyte = 1024 ** 3

/** Size in bytes of a tenant's file space, by plan. Counted once per tenant, not per seat. */
export const fileQuotaBytes: Readonly<Record<Plan, number>> = {
  free: 5 * gibibyte,
  starter: 100 * gibibyte,
  business: 1024 * gibibyte,
  enterprise: 10 * 1024 * gibibyte,
}
