import { AppError } from '@atrium/core/platform/errors'
import type { Invitation, InviteUser } from '@atrium/core/users/users'
import { findUser, findUserByEmail, lockOfEmail } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { activate, beginInvitation, leftByInvitation, type PendingInvitation } from './activate.ts'
import { requireIdentity } from './identity.ts'

/**
 * Invites an operator (seed 4.2): rejects a known address, makes a shut identity in the
 * platform-admin group, then the local record with the flag, shut out as well, hands over a
 * recovery link or, where the provider has no recovery flow, a temporary password, and only then
 * lets the person in. When a later part fails identity and record are removed again; when the
 * process dies, the same invitation goes on where it ended. So it can simply be repeated.
 */
export async function inviteUser(
  ctx: Context,
  caller: Caller,
  input: InviteUser,
): Promise<Invitation> {
  const { services } = ctx
  const identity = requireIdentity(services)
  // Each holds a connection for the lock, so those of one process follow one another.
  const invitation = await services.keyedLimiter.take('invitations', () =>
    // Two invitations of one address wait for each other here; the second then finds the first
    // one's record.
    services.database.exclusively(lockOfEmail(input.email), async () => {
      const started = await begin(ctx, identity, input)
      return {
        subject: started.subject,
        userId: started.userId,
        ...(await activate(ctx, identity, started)),
      }
    }),
  )
  await services.audit.record(ctx, caller, {
    action: 'platform.user_invited',
    resourceType: 'user',
    resourceId: invitation.userId,
    resourceName: input.email,
    metadata: { handoff: invitation.link === undefined ? 'tempPassword' : 'link' },
  })
  return invitation
}

async function begin(
  ctx: Context,
  identity: IdentityProvider,
  { email, name }: InviteUser,
): Promise<PendingInvitation> {
  const { config, database } = ctx.services
  const known = await findUserByEmail(database.db, email)
  const there = known && (await findUser(database.db, known.id))
  if (!there)
    return beginInvitation(ctx, identity, {
      email,
      name,
      group: config.groups.platformAdmins,
      platformAdmin: true,
    })
  const left = there.platformAdmin ? leftByInvitation(there) : undefined
  if (!left) throw new AppError('email_exists')
  return left
}
