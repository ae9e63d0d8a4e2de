import { AppError } from '@atrium/core/errors'
import type { Invitation, InviteUser } from '@atrium/core/users'
import { findUser, findUserByEmail, lockOfEmail } from '@atrium/db/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Caller, Context } from '../context.ts'
import { requireIdentity } from './identity.ts'
import { type Begun, beginInvitation, leftByInvitation, letIn } from './let-in.ts'

/**
 * Invites an operator (seed 4.2): refuses a known address, makes a shut identity in the platform-admin group, then the local record with
 * the flag, shut out as well, hands over a recovery link or, where the provider has no recovery flow, a temporary password, and only then
 * lets the person in. When a later part fails identity and record are removed again; when the process dies, the same invitation goes on
 * where it ended. So it can simply be repeated.
 */
export async function inviteUser(ctx: Context, caller: Caller, input: InviteUser): Promise<Invitation> {
  const { house } = ctx
  const identity = requireIdentity(house)
  // Each holds a connection for the lock, so those of one process follow one another.
  const invitation = await house.turns.take('invitations', () =>
    // Two invitations of one address wait for each other here; the second then finds the first one's record.
    house.database.exclusively(lockOfEmail(input.email), async () => {
      const begun = await begin(ctx, identity, input)
      return { subject: begun.subject, userId: begun.userId, ...(await letIn(ctx, identity, begun)) }
    }),
  )
  await house.audit.record(ctx, caller, {
    action: 'platform.user_invited',
    resourceType: 'user',
    resourceId: invitation.userId,
    resourceName: input.email,
    metadata: { handoff: invitation.link === undefined ? 'tempPassword' : 'link' },
  })
  return invitation
}

async function begin(ctx: Context, identity: IdentityProvider, { email, name }: InviteUser): Promise<Begun> {
  const { config, database } = ctx.house
  const known = await findUserByEmail(database.db, email)
  const there = known && (await findUser(database.db, known.id))
  if (!there) return beginInvitation(ctx, identity, { email, name, group: config.groups.platformAdmins, platformAdmin: true })
  const left = there.platformAdmin ? leftByInvitation(there) : undefined
  if (!left) throw new AppError('email_exists')
  return left
}
