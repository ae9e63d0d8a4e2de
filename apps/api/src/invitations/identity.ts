import { type GivenUpIdentity, givenUpIdentities, settleGivenUpIdentity } from '@atrium/db/invitations'
import { findPerson } from '@atrium/db/members'
import { placeholderEmail } from '@atrium/db/users'
import type { CallOptions } from '@atrium/integrations/call-options'
import type { IdentityProvider, IdentityUser } from '@atrium/integrations/identity/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { StepRefused } from '../provisioning/steps.ts'

interface Person {
  id: string
  email: string
  name: string
}

/**
 * A shut identity without a password for somebody who has none. Identities given up for this person go first. One that an earlier try of
 * ours left is taken up again. Throws StepRefused when the identity provider has somebody else with the address, UpstreamError.
 */
export async function createIdentityFor(
  house: House,
  identity: IdentityProvider,
  { person, path }: { person: Person; path: string | undefined },
  options: CallOptions = {},
): Promise<IdentityUser> {
  await retireGivenUp(house, identity, person.id, options)
  const { email, name } = person
  try {
    return await identity.createUser({ email, name, groupIds: [], ...(path === undefined ? {} : { path }), active: false }, options)
  } catch (error) {
    const conflict = error instanceof UpstreamError && error.kind === 'conflict'
    if (!conflict && !isTransient(error)) throw error
    const made = await findUnfinished(house, identity, person, options)
    if (made) return made
    if (conflict) throw new StepRefused('The identity provider has somebody else with this address already.')
    throw error
  }
}

/** Ends what the identity provider still has of identities that were given up for this person. */
export async function retireGivenUp(house: House, identity: IdentityProvider, userId: string, options: CallOptions = {}): Promise<void> {
  for (const old of await givenUpIdentities(house.database.db, userId)) {
    await retire(identity, old, options)
    await settleGivenUpIdentity(house.database.db, old.id)
  }
}

/** What a creation of ours whose answer was lost has left: inactive, in no group, with our name, and nobody's on record. */
export async function findUnfinished(
  house: House,
  identity: IdentityProvider,
  { email, name }: Pick<Person, 'email' | 'name'>,
  options: CallOptions = {},
): Promise<IdentityUser | undefined> {
  const found = await identity.findUserByEmail(email, options)
  if (!found || found.active || found.groupIds.length > 0 || found.name !== name) return undefined
  return (await findPerson(house.database.db, { subject: found.subject })) ? undefined : found
}

/**
 * Ends an identity that was given up, with its sessions, tokens, second factors and app passwords: deletes one that a tenant of ours made.
 * One that came from elsewhere (a directory, say) is shut and gives the address free, so that nothing of others is destroyed.
 */
async function retire(identity: IdentityProvider, old: GivenUpIdentity, options: CallOptions): Promise<void> {
  const userId = old.idpUserId ?? (await identity.findUserBySubject({ subject: old.subject, email: old.email }, options))?.id
  if (userId === undefined) return
  if (old.madeHere) return identity.deleteUser(userId, options)
  try {
    await identity.setActive({ userId, active: false }, options)
    await identity.endSessions({ userId, username: old.email }, options)
    await identity.updateUser({ userId, profile: { email: placeholderEmail(old.subject) } }, options)
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
  }
}
