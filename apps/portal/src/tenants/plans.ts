import { fileQuotaBytes } from '@atrium/core/billing/plans'
import type { Plan } from '@atrium/core/tenants/tenants'
import { formatBytes } from '@atrium/ui/format'

/** Storage that a plan gives the whole workplace, not each seat: "100 GB". */
export function planStorage(plan: Plan): string {
  return formatBytes(fileQuotaBytes[plan])
}
