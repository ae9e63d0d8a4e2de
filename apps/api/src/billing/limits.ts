import { explainEntitlements } from '@atrium/core/entitlements'
import { AppError } from '@atrium/core/errors'
import type { Db, Trx } from '@atrium/db/connect'
import { readEntitlements } from '../entitlements/read.ts'
import type { InTransaction } from '../house.ts'

/**
 * Rejects an addition to a tenant that is limited, AppError `billing_limited`: a payment has been overdue for longer than the days of
 * grace. It is computed each time, so the payment lifts it at once. The detail says since when, and which invoice is open.
 */
export async function refuseLimited(db: Db | Trx, house: InTransaction, tenantId: string): Promise<void> {
  const entitlements = await readEntitlements(db, house, tenantId)
  if (entitlements.state === 'limited') throw new AppError('billing_limited', explainEntitlements(entitlements))
}
