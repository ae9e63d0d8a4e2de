import { fileQuotaBytes } from '@atrium/core/billing/plans'
import type { Plan } from '@atrium/core/tenants/tenants'
import { formatBytes } from '@atrium/ui/format'

export interface PlanLabels {
  name: string
  /** Whom it suits. */
  suits: string
}

export const planLabels: Readonly<Record<Plan, PlanLabels>> = {
  free: { name: 'Free', suits: 'To try things out, or for a handful of people.' },
  starter: { name: 'Starter', suits: 'For a small team that works together every day.' },
  business: { name: 'Business', suits: 'For a company with plenty to keep and share.' },
  enterprise: { name: 'Enterprise', suits: 'For an organisation with large archives.' },
}

/** Storage that a plan gives the whole workplace, not each seat: "100 GB". */
export function planStorage(plan: Plan): string {
  return formatBytes(fileQuotaBytes[plan])
}
