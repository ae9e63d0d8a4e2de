import {
  type EntitlementRules,
  type Entitlements,
  entitlementsOf,
} from '@atrium/core/billing/entitlements'
import { findEntitlementFacts } from '@atrium/db/billing/entitlements'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Config } from '../../platform/config.ts'
import type { InTransaction } from '../../rpc/services.ts'

/** What this installation gives without payment (docs/how-to/operate.md). */
export function entitlementRules({
  billing: { graceDays, freeSeats, trial },
}: Config): EntitlementRules {
  return { graceDays, freeSeats, trial }
}

/** What the tenant may have now, from its subscription, invoices and grant. */
export async function readEntitlements(
  db: Db | Trx,
  { config, clock }: InTransaction,
  tenantId: string,
): Promise<Entitlements> {
  const now = clock.now()
  return entitlementsOf(
    await findEntitlementFacts(db, tenantId, now),
    entitlementRules(config),
    now,
  )
}
