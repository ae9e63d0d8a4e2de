import { stepFailureText } from '@atrium/core/platform/failure-text'
import type { PersonDetails } from '@atrium/core/users/users'
import { listDetachedFrom } from '@atrium/db/address-claims/address-claims'
import { findPerson } from '@atrium/db/members/members'
import {
  type AbandonedIdentity,
  abandonedIdentities,
  deleteAbandonedIdentity,
} from '@atrium/db/users/address-proofs'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { placeholderEmail } from '@atrium/db/users/users'
import type { CallOptions } from '@atrium/integrations/call-options'
import type { IdentityProvider, IdentityUser } from '@atrium/integrations/identity/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import { StepRejected } from '../platform/step-rejected.ts'
import type { Services } from '../rpc/services.ts'
import { followProfile } from './follow-profile.ts'

interface NewIdentity {
  person: PersonDetails & { id: string }
  /** Folder of the identity provider. */
  path: string | undefined
  /**
   * The group it is put into; it is left out where the provider does not take it, such as a group
   * that is gone.
   */
  groupId?: string | undefined
  /** The record was made by the same request: there is no identity of an earlier one. */
  fresh?: boolean | undefined
}

/**
 * A disabled identity without a password for a person without one, with name and contact data.
 * Identities given up for this person are removed first, and the address is released by those that
 * lost it here. One left by an earlier attempt of ours is
 * reused, and has to follow the profile (`addIdentitySyncTask`). Throws StepRejected when another
 * identity has the address, UpstreamError.
 */
export async function createIdentityFor(
  services: Services,
  identity: IdentityProvider,
  { person, path, groupId, fresh = false }: NewIdentity,
  options: CallOptions = {},
): Promise<IdentityUser> {
  if (!fresh) {
    await retireAbandoned(services, identity, person.id, options)
    for (const userId of await listDetachedFrom(services.database.db, person.email))
      await followProfile(services, identity, userId, options.signal)
  }
  const { email, name, firstName, lastName, phone, alternativeEmail } = person
  const profile = { firstName, lastName, phone, alternativeEmail }
  const create = (groupIds: string[]) =>
    identity.createUser(
      { email, name, groupIds, profile, ...(path === undefined ? {} : { path }), active: false },
      options,
    )
  try {
    if (groupId === undefined) return await create([])
    return await create([groupId]).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.kind === 'refused') return create([])
      throw error
    })
  } catch (error) {
    const conflict = error instanceof UpstreamError && error.kind === 'conflict'
    if (!conflict && !isTransient(error)) throw error
    const made = await findUnfinished(services, identity, { email, name, groupId }, options)
    if (made) {
      await addIdentitySyncTask(services.database.db, person.id, { profile: true })
      return made
    }
    if (conflict) throw new StepRejected(stepFailureText('identityTaken'))
    throw error
  }
}

/** Ends what the identity provider still has of identities that were given up for this person. */
export async function retireAbandoned(
  services: Services,
  identity: IdentityProvider,
  userId: string,
  options: CallOptions = {},
): Promise<void> {
  for (const old of await abandonedIdentities(services.database.db, userId)) {
    await retire(identity, old, options)
    await deleteAbandonedIdentity(services.database.db, old.id)
  }
}

/**
 * The identity that we created and whose response was lost: inactive, in no other group, with our
 * name, and on no record.
 */
export async function findUnfinished(
  services: Services,
  identity: IdentityProvider,
  {
    email,
    name,
    groupId,
  }: Pick<PersonDetails, 'email' | 'name'> & { groupId?: string | undefined },
  options: CallOptions = {},
): Promise<IdentityUser | undefined> {
  const found = await identity.findUserByEmail(email, options)
  if (!found || found.active || found.groupIds.some((id) => id !== groupId) || found.name !== name)
    return undefined
  return (await findPerson(services.database.db, { subject: found.subject })) ? undefined : found
}

/**
 * Ends an identity that was given up, with its sessions, tokens, second factors and app passwords:
 * deletes one that a tenant here created. One of another origin (such as a directory) is disabled
 * and its address released, so that nothing of others is destroyed.
 */
async function retire(
  identity: IdentityProvider,
  old: AbandonedIdentity,
  options: CallOptions,
): Promise<void> {
  const userId =
    old.idpUserId ??
    (await identity.findUserBySubject({ subject: old.subject, email: old.email }, options))?.id
  if (userId === undefined) return
  if (old.madeHere) return identity.deleteUser(userId, options)
  try {
    await identity.setActive({ userId, active: false }, options)
    await identity.endSessions({ userId, username: old.email }, options)
    await identity.updateUser(
      { userId, profile: { email: placeholderEmail(old.subject) } },
      options,
    )
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'not_found') throw error
  }
}
