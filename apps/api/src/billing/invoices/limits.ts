import { type Entitlements, explainEntitlements } from '@atrium/core/billing/entitlements'
import { AppError } from '@atrium/core/platform/errors'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { InTransaction } from '../../rpc/services.ts'
import { readEntitlements } from '../entitlements/read.ts'

/**
 * Rejects an addition to a tenant that is limited, AppError `billing_limited`: a payment has been
 * overdue for longer than the days of grace. It is computed each time, so the payment lifts it at
 * once. The detail says since when, and which invoice is open.
 */
export async function rejectLimited(
  db: Db | Trx,
  services: InTransaction,
  tenantId: string,
): Promise<void> {
  rejectLimitedBy(await readEntitlements(db, services, tenantId))
}

/** The same of entitlements that were read in the same transaction. */
export function rejectLimitedBy(entitlements: Entitlements): void {
  if (entitlements.state === 'limited')
    throw new AppError('billing_limited', explainEntitlements(entitlements))
}
