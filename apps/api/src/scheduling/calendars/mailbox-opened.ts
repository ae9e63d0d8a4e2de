import { clearRejections } from '@atrium/db/scheduling/mail-credentials'
import type { Services } from '../../rpc/services.ts'
import { retryCalendar } from '../bookings/effects.ts'

/**
 * A mailbox that was shut may be signed in to again: whoever is booked by it is, from now on and
 * not when the rejection of meanwhile is forgotten, and what its calendar has not got is due.
 */
export async function mailboxOpened(services: Services, mailAccountId: string): Promise<void> {
  await services.database.db.transaction().execute(async (trx) => {
    for (const hostId of await clearRejections(trx, mailAccountId))
      await retryCalendar(trx, services, hostId)
  })
}
