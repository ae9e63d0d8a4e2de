import { findMarginAt } from '@atrium/db/billing/payouts'
import type { Db, Trx } from '@atrium/db/platform/connect'

/**
 * The share of a partner in percent, with at most two decimals, that holds on the day of `at` in
 * UTC: the newest dated margin that had begun by then, else the one that the partner's record
 * names. 0 for an unknown partner.
 */
export async function marginAt(db: Db | Trx, partnerId: string, at: Date): Promise<number> {
  return (await findMarginAt(db, partnerId, at.toISOString().slice(0, 10))) ?? 0
}
