import { clearRejections } from '@atrium/db/scheduling/mail-credentials'
import type { Services } from '../../rpc/services.ts'
import { retryCalendar } from '../bookings/effects.ts'

/**
 * A disabled mailbox can be signed in to again: its host can be booked from now on, not only when
 * the recorded rejection expires, and pending calendar writes become due.
 */
export async function mailboxOpened(services: Services, mailAccountId: string): Promise<void> {
  await services.database.db.transaction().execute(async (trx) => {
    for (const hostId of await clearRejections(trx, mailAccountId))
      await retryCalendar(trx, services, hostId)
  })
}
