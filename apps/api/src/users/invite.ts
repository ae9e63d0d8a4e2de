import { webcrypto } from 'node:crypto'
import { AppError } from '@atrium/core/errors'
import { temporaryPassword } from '@atrium/core/passwords'
import type { Invitation, InviteUser } from '@atrium/core/users'
import { findUserByEmail, insertUser, lockEmail } from '@atrium/db/users'
import type { IdentityProvider, IdentityUser } from '@atrium/integrations/identity/port'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import type { Caller, Context } from '../context.ts'
import type { House } from '../house.ts'
import { orUpstreamFailed, requireIdentity } from './identity.ts'

/**
 * Invites an operator (seed 4.2): refuses a known address, creates the identity in the platform-admin group, then the local record
 * with the flag, and hands over a recovery link or, where the provider has no recovery flow, a temporary password. When a later
 * part fails the identity is removed again, so that the invitation can simply be repeated.
 */
export async function inviteUser(ctx: Context, caller: Caller, input: InviteUser): Promise<Invitation> {
  const { house } = ctx
  const identity = requireIdentity(house)
  const { invitation, handoff } = await house.database.db.transaction().execute(async (trx) => {
    // Two invitations of one address wait for each other here; the second then finds the first one's record.
    await lockEmail(trx, input.email)
    if (await findUserByEmail(trx, input.email)) throw new AppError('email_exists')
    const user = await orUpstreamFailed(() => createIdentity(house, identity, input))
    try {
      const handover = await orUpstreamFailed(() => handOver(house, identity, user.id))
      const record = await insertUser(trx, {
        subject: user.subject,
        idpUserId: user.id,
        email: input.email,
        name: input.name,
        platformAdmin: true,
      })
      if (!record) throw new AppError('email_exists')
      return {
        invitation: { subject: user.subject, userId: record.id, ...handover },
        handoff: handover.link === undefined ? 'tempPassword' : 'link',
      }
    } catch (error) {
      await identity.deleteUser(user.id).catch((err: unknown) => {
        house.log.error({ err, requestId: ctx.request.requestId }, 'the identity of a failed invitation could not be removed')
      })
      throw error
    }
  })
  await house.audit.record(ctx, caller, {
    action: 'platform.user_invited',
    resourceType: 'user',
    resourceId: invitation.userId,
    resourceName: input.email,
    metadata: { handoff },
  })
  return invitation
}

async function createIdentity(house: House, identity: IdentityProvider, input: InviteUser): Promise<IdentityUser> {
  if (await identity.findUserByEmail(input.email)) throw new AppError('email_exists')
  const group = await identity.ensureGroup({ name: house.config.groups.platformAdmins })
  try {
    return await identity.createUser({ email: input.email, name: input.name, groupIds: [group.id] })
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'conflict') throw new AppError('email_exists', undefined, { cause: error })
    if (isTransient(error)) await removeUnanswered(house, identity, input, group.id)
    throw error
  }
}

/**
 * A creation whose answer was lost may have been carried out. Nobody had the address a moment ago, so a user with it, our name and our
 * group is the one that was made here.
 */
async function removeUnanswered(house: House, identity: IdentityProvider, input: InviteUser, groupId: string): Promise<void> {
  try {
    const made = await identity.findUserByEmail(input.email)
    if (made && made.name === input.name && made.groupIds.includes(groupId)) await identity.deleteUser(made.id)
  } catch (err) {
    house.log.error({ err }, 'it could not be seen whether a failed invitation left an identity behind')
  }
}

async function handOver(
  house: House,
  identity: IdentityProvider,
  userId: string,
): Promise<{ link: string; tempPassword?: never } | { tempPassword: string; link?: never }> {
  const link = await identity.recoveryLink({ userId, publicOrigin: house.config.identity?.publicUrl })
  if (link !== undefined) return { link }
  const tempPassword = temporaryPassword((buffer) => webcrypto.getRandomValues(buffer))
  await identity.setPassword({ userId, password: tempPassword })
  return { tempPassword }
}
