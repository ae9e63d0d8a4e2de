import { billingStateOf } from '@atrium/core/billing'
import { AppError } from '@atrium/core/errors'
import type { Db, Trx } from '@atrium/db/connect'
import { findPastDueFacts } from '@atrium/db/dunning'
import type { InTransaction } from '../house.ts'

/**
 * Refuses to add something to a tenant whose payment has been overdue for longer than the days of grace, AppError `billing_limited`. It
 * is read from the subscription each time, so the first payment lifts it at once.
 */
export async function refuseLimited(db: Db | Trx, { config, clock }: InTransaction, tenantId: string): Promise<void> {
  const facts = await findPastDueFacts(db, tenantId)
  const { state } = billingStateOf(facts ?? null, config.billing.graceDays, clock.now())
  if (state === 'limited') throw new AppError('billing_limited')
}
