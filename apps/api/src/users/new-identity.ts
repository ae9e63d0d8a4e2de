import { webcrypto } from 'node:crypto'
import { temporaryPassword } from '@atrium/core/members/passwords'
import { AppError } from '@atrium/core/platform/errors'
import { findPerson } from '@atrium/db/members/members'
import type { IdentityProvider, IdentityUser } from '@atrium/integrations/identity/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../rpc/services.ts'
import { setTemporaryPassword } from './temporary-password.ts'

/** What an invitation needs of its request; a command has no more than this. */
export interface InvitationContext {
  services: Services
  request: { requestId: string }
}

interface Invited {
  email: string
  name: string
  /** Name of the identity group that the person is put into; made where it is missing. */
  group: string
  /**
   * Made shut; `setActive` lets the person in. One that a dead process left shut is taken up again.
   */
  shut?: boolean
}

/** Exactly one of them; shown once and kept nowhere. */
export type Handover =
  | { link: string; tempPassword?: never }
  | { tempPassword: string; link?: never }

/**
 * An identity for a person whom the provider does not know. AppError `email_exists` when it does.
 */
export async function createIdentity(
  services: Services,
  identity: IdentityProvider,
  input: Invited,
): Promise<IdentityUser> {
  const found = await identity.findUserByEmail(input.email)
  if (found && !input.shut) throw new AppError('email_exists')
  const group = await identity.ensureGroup({ name: input.group })
  if (found) {
    if (await isLeftOver(services, found, input, group.id)) return found
    throw new AppError('email_exists')
  }
  try {
    return await identity.createUser({
      email: input.email,
      name: input.name,
      groupIds: [group.id],
      active: !input.shut,
    })
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'conflict')
      throw new AppError('email_exists', undefined, { cause: error })
    if (isTransient(error)) await removeUnanswered(services, identity, input, group.id)
    throw error
  }
}

/**
 * Disabled, with our name, only in our group and on no record: the identity of an invitation whose
 * process died.
 */
async function isLeftOver(
  { database }: Services,
  found: IdentityUser,
  { name }: Invited,
  groupId: string,
): Promise<boolean> {
  const ours =
    !found.active &&
    found.name === name &&
    found.groupIds.length === 1 &&
    found.groupIds[0] === groupId
  return ours && (await findPerson(database.db, { subject: found.subject })) === undefined
}

/**
 * A creation whose response was lost may have succeeded. No one had the address a moment ago, so a
 * user with it, our name and our group is the one created here.
 */
async function removeUnanswered(
  services: Services,
  identity: IdentityProvider,
  input: Invited,
  groupId: string,
): Promise<void> {
  try {
    const made = await identity.findUserByEmail(input.email)
    if (made && made.name === input.name && made.groupIds.includes(groupId))
      await identity.deleteUser(made.id)
  } catch (err) {
    services.log.error(
      { err },
      'failed to check whether a failed invitation left an identity behind',
    )
  }
}

/**
 * Deletes the identity of an invitation that failed later on, so that it can simply be repeated.
 */
export async function removeFailedIdentity(
  { services, request }: InvitationContext,
  identity: IdentityProvider,
  userId: string,
): Promise<void> {
  await identity.deleteUser(userId).catch((err: unknown) => {
    services.log.error(
      { err, requestId: request.requestId },
      'failed to delete the identity of a failed invitation',
    )
  })
}

/**
 * What the person signs in with at first: a recovery link or, where the provider has no recovery
 * flow, a temporary password.
 */
export async function handOver(
  services: Services,
  identity: IdentityProvider,
  userId: string,
): Promise<Handover> {
  const link = await identity.recoveryLink({
    userId,
    publicOrigin: services.config.identity?.publicUrl,
  })
  if (link !== undefined) return { link }
  const tempPassword = temporaryPassword((buffer) => webcrypto.getRandomValues(buffer))
  await setTemporaryPassword(services, identity, { idpUserId: userId, password: tempPassword })
  return { tempPassword }
}
