import { AppError } from '@atrium/core/platform/errors'
import type { Trx } from '@atrium/db/platform/connect'
import { deleteUser, insertUser, setDeactivated, type UserRow } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { orUpstreamFailed } from './identity.ts'
import {
  createIdentity,
  type Handover,
  handOver,
  type InvitationContext,
  removeFailedIdentity,
} from './new-identity.ts'

/** Identity and record of an invited person who was not activated yet. */
export interface PendingInvitation {
  userId: string
  subject: string
  idpUserId: string
}

/**
 * Identity and record of a new person, both disabled: newly created, or the identity left by an
 * invitation whose process died. The identity is deleted again when the record cannot be written.
 * Throws AppError `email_exists`, `upstream_failed`.
 */
export async function beginInvitation(
  ctx: InvitationContext,
  identity: IdentityProvider,
  invited: { email: string; name: string; group: string; platformAdmin: boolean },
): Promise<PendingInvitation> {
  const { email, name, group, platformAdmin } = invited
  const user = await orUpstreamFailed(() =>
    createIdentity(ctx.services, identity, { email, name, group, shut: true }),
  )
  try {
    const record = {
      subject: user.subject,
      idpUserId: user.id,
      email,
      name,
      platformAdmin,
      shutOut: true,
    }
    const inserted = await insertUser(ctx.services.database.db, record)
    if (!inserted) throw new AppError('email_exists')
    return { userId: inserted.id, subject: user.subject, idpUserId: user.id }
  } catch (error) {
    await removeFailedIdentity(ctx, identity, user.id)
    throw error
  }
}

/**
 * The identity left by an invitation whose process died: disabled since its creation. Undefined for
 * anyone else.
 */
export function leftByInvitation(user: UserRow): PendingInvitation | undefined {
  const neverIn =
    user.deactivatedAt !== null && user.deactivatedAt.getTime() === user.createdAt.getTime()
  if (!neverIn || user.idpUserId === null || user.tenants.length > 0) return undefined
  return { userId: user.id, subject: user.idpSubjectId, idpUserId: user.idpUserId }
}

/**
 * Hands over what the person signs in with, opens the identity, and then the record together with
 * what `settle` writes. When one of them fails identity and record are removed; when the process
 * dies both stay what `leftByInvitation` finds. Throws AppError `upstream_failed`.
 */
export async function activate(
  ctx: InvitationContext,
  identity: IdentityProvider,
  { userId, idpUserId }: PendingInvitation,
  settle: (trx: Trx) => Promise<void> = async () => {},
): Promise<Handover> {
  const { db } = ctx.services.database
  try {
    const handover = await orUpstreamFailed(() => handOver(ctx.services, identity, idpUserId))
    await orUpstreamFailed(() => identity.setActive({ userId: idpUserId, active: true }))
    await db.transaction().execute(async (trx) => {
      await setDeactivated(trx, userId, false)
      await settle(trx)
    })
    return handover
  } catch (error) {
    await removeFailedIdentity(ctx, identity, idpUserId)
    await db.transaction().execute((trx) => deleteUser(trx, userId))
    throw error
  }
}
