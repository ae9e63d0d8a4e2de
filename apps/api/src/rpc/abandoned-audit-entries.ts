import { takeAbandonedEntry } from '@atrium/db/audit/audit'
import type { Services } from './services.ts'

/** Longer than any request or job takes from a change to its entry. */
const abandonedSeconds = 600

/** Writes the prepared entries whose process died before it knew how the change ended. */
export async function writeAbandonedEntries({
  database,
  audit,
}: Pick<Services, 'database' | 'audit'>): Promise<void> {
  for (let written = true; written; )
    written = await database.db.transaction().execute(async (trx) => {
      const event = await takeAbandonedEntry(trx, abandonedSeconds)
      if (event) await audit.write(event, trx)
      return event !== undefined
    })
}
