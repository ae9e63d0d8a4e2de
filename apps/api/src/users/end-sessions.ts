import { readManagedWork } from '@atrium/db/members/member-work'
import { readSignIn } from '@atrium/db/tenants/tenant-access'
import { addIdentitySyncTask, completeIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { findUserOrClosed } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import { isShutAlone } from '../members/step.ts'
import type { Services } from '../rpc/services.ts'

/** A person with the key of the identity. */
export interface IdentifiedPerson {
  id: string
  email: string
  idpUserId: string
}

/**
 * Ends the login sessions and every token of a person at the identity provider; returns how many
 * sessions ended. Only a deactivation ends refresh tokens, so an active identity is made inactive
 * for a moment. That is on record first: when the process dies in between, the sweep makes the
 * identity active again. Throws UpstreamError; sessions or tokens may then go on.
 */
export async function endSessionsAndTokens(
  services: Services,
  identity: IdentityProvider,
  person: IdentifiedPerson,
  signal: AbortSignal,
): Promise<number> {
  const { db } = services.database
  const { sessions } = await identity.endSessions(
    { userId: person.idpUserId, username: person.email },
    { signal },
  )
  const user = await identity.readUser(person.idpUserId, { signal }).catch((error: unknown) => {
    if (error instanceof UpstreamError && error.kind === 'not_found') return undefined
    throw error
  })
  // An inactive identity has no tokens, and the process that deactivated it decides when to
  // reactivate it.
  if (!user?.active) return sessions
  const mark = await addIdentitySyncTask(db, person.id, { reopen: true })
  await identity
    .setActive({ userId: person.idpUserId, active: false }, { signal })
    .catch(async (error: unknown) => {
      if (!isTransient(error)) await completeIdentitySyncTask(db, person.id, mark, { reopen: true })
      throw error
    })
  // Not under the caller's signal: an identity that was made inactive is opened in any case.
  await reopenIdentity(services, identity, person)
  await completeIdentitySyncTask(db, person.id, mark, { reopen: true })
  return sessions
}

/**
 * Reactivates an identity that was deactivated to end its tokens, unless the person has been locked
 * out meanwhile.
 */
export async function reopenIdentity(
  services: Services,
  identity: IdentityProvider,
  { id, idpUserId }: Pick<IdentifiedPerson, 'id' | 'idpUserId'>,
): Promise<void> {
  if (await isShutOut(services, id)) return
  await identity.setActive({ userId: idpUserId, active: true })
  // A person who was deactivated meanwhile may have become inactive before the line above.
  if (await isShutOut(services, id)) await identity.setActive({ userId: idpUserId, active: false })
}

async function isShutOut({ database: { db } }: Services, userId: string): Promise<boolean> {
  const user = await findUserOrClosed(db, userId)
  if (!user || user.deactivatedAt !== null || user.removedAt !== null) return true
  return (
    (await readSignIn(db, userId)).locked || (await readManagedWork(db, userId)).some(isShutAlone)
  )
}
