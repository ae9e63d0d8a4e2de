import { countSubscriptions } from '@atrium/db/billing/subscriptions'
import { hadTrialElsewhere, lockTrialsOfOwner } from '@atrium/db/billing/trial-uses'
import type { Db, Trx } from '@atrium/db/platform/connect'

/**
 * The days of trial that a tenant gets at its start: those that the price offers, or none where the
 * owner or one of the proven domains had a trial in another tenant. Waits for another start of the
 * same owner.
 */
export async function trialDaysFor(trx: Trx, tenantId: string, offered: number): Promise<number> {
  if (offered === 0) return 0
  await lockTrialsOfOwner(trx, tenantId)
  return (await hadTrialElsewhere(trx, tenantId)) ? 0 : offered
}

/** Whether prices may be shown to this tenant with their trial. */
export async function mayHaveTrial(db: Db, tenantId: string): Promise<boolean> {
  return (await countSubscriptions(db, tenantId)) === 0 && !(await hadTrialElsewhere(db, tenantId))
}
