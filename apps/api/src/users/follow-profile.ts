import { setTimeout as wait } from 'node:timers/promises'
import {
  claimProfile,
  completeProfileSync,
  type ProfileLease,
  releaseProfile,
} from '@atrium/db/users/identity-sync-tasks'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { findUserOrClosed, isPlaceholderEmail, type UserRow } from '@atrium/db/users/users'
import type { IdentityProfile, IdentityProvider } from '@atrium/integrations/identity/port'
import type { Services } from '../rpc/services.ts'
import { idpUserIdOf } from './identity.ts'

/** How long the provider may take where no other deadline is set; less than the lease of a turn. */
const deadlineMs = 10_000
const pollIntervalMs = 100

/**
 * Syncs name, contact data and address from the record to the identity provider until both agree:
 * all fields, including cleared ones, because the difference is unknown. Does nothing when nothing
 * is due, and leaves it due while the person's identity is still to be created. Rejects with
 * `UpstreamError`, or when the signal aborts; then it stays due.
 */
export async function followProfile(
  services: Services,
  identity: IdentityProvider,
  userId: string,
  signal: AbortSignal = AbortSignal.timeout(deadlineMs),
): Promise<void> {
  const { db } = services.database
  for (;;) {
    const turn = await claimProfile(db, userId)
    if (turn === 'none') return
    if (turn === 'held') {
      await wait(pollIntervalMs, undefined, { signal })
      continue
    }
    const reported = await tell(services, identity, turn, signal).catch(async (error: unknown) => {
      // A lease that cannot be given back lapses.
      await releaseProfile(db, turn).catch((err: unknown) =>
        services.log.warn({ err, userId }, 'failed to release profile sync'),
      )
      throw error
    })
    if (!reported) return releaseProfile(db, turn)
    if (await completeProfileSync(db, turn)) return
  }
}

/**
 * False when there is no identity to update yet. People whom the provider no longer knows need no
 * update.
 */
async function tell(
  services: Services,
  identity: IdentityProvider,
  turn: ProfileLease,
  signal: AbortSignal,
): Promise<boolean> {
  const user = await findUserOrClosed(services.database.db, turn.userId)
  if (!user) return true
  if (user.idpUserId === null && user.idpSubjectId.startsWith(pendingSubject)) return false
  const userId = await idpUserIdOf(services, user, signal)
  if (userId !== undefined)
    await identity.updateUser({ userId, profile: profileOf(user, turn) }, { signal })
  return true
}

function profileOf(user: UserRow, { address }: ProfileLease): IdentityProfile {
  const { email, name, firstName, lastName, phone, alternativeEmail } = user
  return {
    name,
    firstName,
    lastName,
    phone,
    alternativeEmail,
    ...(address && !isPlaceholderEmail(email) ? { email } : {}),
  }
}
