import { forgetRefusals } from '@atrium/db/mail-credentials'
import type { House } from '../house.ts'
import { retryCalendar } from './effects.ts'

/**
 * A mailbox that was shut may be signed in to again: whoever is booked by it is, from now on and not when the refusal of meanwhile is
 * forgotten, and what its calendar has not got is due.
 */
export async function mailboxOpened(house: House, mailAccountId: string): Promise<void> {
  await house.database.db.transaction().execute(async (trx) => {
    for (const hostId of await forgetRefusals(trx, mailAccountId)) await retryCalendar(trx, house, hostId)
  })
}
