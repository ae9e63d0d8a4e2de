import { deleteEndedInvitations, expireInvitations } from '@atrium/db/invitations/invitations'
import type { Services } from '../rpc/services.ts'
import { recordExpired } from '../users/record-invitation.ts'

/** How long an ended invitation is kept (docs/how-to/operate.md, "What is kept how long"). */
const keptDays = 90
const atOnce = 200
/** No more are taken after this in one run: the next one comes within the hour. */
const mostRounds = 50

/**
 * Records invitations that have expired, and erases those that ended long ago. An invitation
 * expires by its time, whether this has run or not.
 */
export async function expireInvitationsDue(services: Services): Promise<void> {
  const { db } = services.database
  for (let round = 0; round < mostRounds; round++) {
    const expired = await db.transaction().execute(async (trx) => {
      const found = await expireInvitations(trx, { limit: atOnce })
      await recordExpired(services, trx, found)
      return found.length
    })
    if (expired < atOnce) break
  }
  await deleteEndedInvitations(db, keptDays)
}
