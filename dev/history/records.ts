import type { Trx } from '@atrium/db/platform/connect'
import { recordActions } from './actions.ts'
import { insertAdjustments, insertReconciliations } from './corrections.ts'
import { insertDomains } from './domains.ts'
import { insertFlags } from './flags.ts'
import { insertHealth, insertSystemDays } from './health.ts'
import { insertMails } from './mails.ts'
import type { Parts } from './parts.ts'

/**
 * What is kept beside companies and their billing: mails, flags, the health of past days, calls to
 * the systems, what people did.
 */
export async function insertRecords(trx: Trx, parts: Parts): Promise<void> {
  await insertMails(trx, parts)
  await insertFlags(trx, parts)
  await insertHealth(trx, parts.history, parts.made)
  await insertSystemDays(trx, parts.history)
  await insertReconciliations(trx, parts)
  await insertDomains(trx, parts)
  await insertAdjustments(trx, parts)
  recordActions(parts)
}
