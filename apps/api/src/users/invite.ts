import { AppError } from '@atrium/core/errors'
import type { Invitation, InviteUser } from '@atrium/core/users'
import { deleteUser, findUser, findUserByEmail, insertUser, lockEmail, setDeactivated, type UserRow } from '@atrium/db/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Caller, Context } from '../context.ts'
import { orUpstreamFailed, requireIdentity } from './identity.ts'
import { createIdentity, handOver, removeFailedIdentity } from './new-identity.ts'

interface Begun {
  userId: string
  subject: string
  idpUserId: string
}

/**
 * Invites an operator (seed 4.2): refuses a known address, makes a shut identity in the platform-admin group, then the local record with
 * the flag, shut out as well, hands over a recovery link or, where the provider has no recovery flow, a temporary password, and only then
 * lets the person in. When a later part fails identity and record are removed again; when the process dies, the same invitation goes on
 * where it ended. So it can simply be repeated.
 */
export async function inviteUser(ctx: Context, caller: Caller, input: InviteUser): Promise<Invitation> {
  const { house } = ctx
  const identity = requireIdentity(house)
  const { db } = house.database
  // Each holds one connection for the lock and takes others for its work, so they follow one another.
  const { invitation, handoff } = await house.turns.take('invitations', () =>
    db.transaction().execute(async (lock) => {
      // Two invitations of one address wait for each other here; the second then finds the first one's record.
      await lockEmail(lock, input.email)
      return letIn(ctx, identity, await begin(ctx, identity, input))
    }),
  )
  await house.audit.record(ctx, caller, {
    action: 'platform.user_invited',
    resourceType: 'user',
    resourceId: invitation.userId,
    resourceName: input.email,
    metadata: { handoff },
  })
  return invitation
}

/** Identity and record, both shut: made, or as an invitation whose process died has left them. */
async function begin(ctx: Context, identity: IdentityProvider, input: InviteUser): Promise<Begun> {
  const { house } = ctx
  const { db } = house.database
  const known = await findUserByEmail(db, input.email)
  const there = known && (await findUser(db, known.id))
  if (there) {
    if (!wasNeverLetIn(there) || there.idpUserId === null) throw new AppError('email_exists')
    return { userId: there.id, subject: there.idpSubjectId, idpUserId: there.idpUserId }
  }
  const { platformAdmins: group } = house.config.groups
  const user = await orUpstreamFailed(() => createIdentity(house, identity, { ...input, group, shut: true }))
  const record = { subject: user.subject, idpUserId: user.id, email: input.email, name: input.name, platformAdmin: true, shutOut: true }
  try {
    const inserted = await insertUser(db, record)
    if (!inserted) throw new AppError('email_exists')
    return { userId: inserted.id, subject: user.subject, idpUserId: user.id }
  } catch (error) {
    await removeFailedIdentity(ctx, identity, user.id)
    throw error
  }
}

/** Shut out in the moment it was made. */
function wasNeverLetIn({ platformAdmin, deactivatedAt, createdAt }: UserRow): boolean {
  return platformAdmin && deactivatedAt !== null && deactivatedAt.getTime() === createdAt.getTime()
}

async function letIn(ctx: Context, identity: IdentityProvider, { userId, subject, idpUserId }: Begun) {
  const { db } = ctx.house.database
  try {
    const handover = await orUpstreamFailed(() => handOver(ctx.house, identity, idpUserId))
    await orUpstreamFailed(() => identity.setActive({ userId: idpUserId, active: true }))
    await setDeactivated(db, userId, false)
    const handoff = handover.link === undefined ? ('tempPassword' as const) : ('link' as const)
    return { invitation: { subject, userId, ...handover }, handoff }
  } catch (error) {
    await removeFailedIdentity(ctx, identity, idpUserId)
    await db.transaction().execute((trx) => deleteUser(trx, userId))
    throw error
  }
}
