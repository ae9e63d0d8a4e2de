import { AppError } from '@atrium/core/errors'
import type { Invitation, InviteUser } from '@atrium/core/users'
import { findUserByEmail, insertUser, lockEmail } from '@atrium/db/users'
import type { Caller, Context } from '../context.ts'
import { orUpstreamFailed, requireIdentity } from './identity.ts'
import { createIdentity, handOver, removeFailedIdentity } from './new-identity.ts'

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
    const user = await orUpstreamFailed(() => createIdentity(house, identity, { ...input, group: house.config.groups.platformAdmins }))
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
      await removeFailedIdentity(ctx, identity, user.id)
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
