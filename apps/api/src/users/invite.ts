import { AppError } from '@atrium/core/platform/errors'
import type { Invitation, InviteUser } from '@atrium/core/users/users'
import { findUser, findUserByEmail, lockOfEmail } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { activate, beginInvitation, leftByInvitation, type PendingInvitation } from './activate.ts'
import { requireIdentity } from './identity.ts'
import type { InvitationContext } from './new-identity.ts'

/** Invites an operator and records it. Throws as `inviteOperator` does. */
export async function inviteUser(
  ctx: Context,
  caller: Caller,
  input: InviteUser,
): Promise<Invitation> {
  const invitation = await inviteOperator(ctx, input)
  await ctx.services.audit.record(ctx, caller, operatorInvited(input, invitation))
  return invitation
}

/** The entry of an invitation, which says how the person gets in and never with what. */
export const operatorInvited = (
  { email }: InviteUser,
  { userId, link }: Invitation,
): AuditEntry => ({
  action: 'platform.user_invited',
  resourceType: 'user',
  resourceId: userId,
  resourceName: email,
  metadata: { handoff: link === undefined ? 'tempPassword' : 'link' },
})

/**
 * Invites an operator (seed 4.2): rejects a known address, makes a shut identity in the
 * platform-admin group, then the local record with the flag, shut out as well, hands over a
 * recovery link or, where the provider has no recovery flow, a temporary password, and only then
 * lets the person in. When a later part fails identity and record are removed again; when the
 * process dies, the same invitation goes on where it ended. So it can simply be repeated. Throws
 * AppError `email_exists`, `integration_off`, `upstream_failed`.
 */
export async function inviteOperator(
  ctx: InvitationContext,
  input: InviteUser,
): Promise<Invitation> {
  const { services } = ctx
  const identity = requireIdentity(services)
  // Each holds a connection for the lock, so those of one process follow one another.
  return services.keyedLimiter.take('invitations', () =>
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
}

async function begin(
  ctx: InvitationContext,
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
