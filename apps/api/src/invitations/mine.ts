import type { JoinedPlace, OwnInvitations } from '@atrium/core/invitations/invitations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  endInvitation,
  findInvitation,
  type InvitationRow,
  listOpenInvitations,
} from '@atrium/db/invitations/invitations'
import { readTrust } from '@atrium/db/users/address-proofs'
import { findUser } from '@atrium/db/users/users'
import { pushTouchedLists } from '../mail/lists/members.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { requireIdentity } from '../users/identity.ts'
import { invitationEntry, termsOf } from '../users/record-invitation.ts'
import { placeOf, takingTurns } from './accept.ts'
import { toMailedLink } from './link.ts'
import { setUp } from './set-up.ts'
import { settleInvitation } from './settle.ts'

/**
 * Open invitations to the caller's own address, once the caller has proved it; otherwise none, and
 * the mailed link is the only way.
 */
export async function listOwnInvitations(ctx: Context, caller: Caller): Promise<OwnInvitations> {
  const proved = await provedAddress(ctx, caller)
  const rows =
    proved === undefined ? [] : await listOpenInvitations(ctx.services.database.db, proved.email)
  const items = rows.map((row) => {
    const { language: _, ...shown } = toMailedLink(row)
    return { id: row.id, ...shown }
  })
  return { items, nextCursor: null }
}

/**
 * Accepts an invitation to the caller's proved address; identity and password stay as they are.
 * Throws AppError `not_found`, and as `settleInvitation`; an upstream system that fails is retried
 * by the jobs.
 */
export async function acceptOwnInvitation(
  ctx: Context,
  caller: Caller,
  invitationId: string,
): Promise<JoinedPlace> {
  const { services } = ctx
  const identity = requireIdentity(services)
  const { userId, email } = (await provedAddress(ctx, caller)) ?? { userId: '', email: '' }
  return takingTurns(services, email, async () => {
    const invitation = await requireOwn(ctx, email, invitationId)
    const entry = invitationEntry('invitation.accepted', invitation, {
      ...termsOf(invitation),
      userId,
    })
    const { lists } = await settleInvitation(services, invitation, { userId }, (trx) =>
      services.audit.record(ctx, caller, entry, trx),
    )
    pushTouchedLists(services, lists)
    await setUp(services, identity, { userId, tenantId: invitation.tenantId }).catch(
      (err: unknown) => {
        if (!(err instanceof AppError)) throw err
        services.log.warn({ err, userId }, 'failed to set up a person who accepted an invitation')
      },
    )
    return placeOf(invitation)
  })
}

/** Declines an invitation to the caller's proved address. Throws AppError `not_found`. */
export async function declineOwnInvitation(
  ctx: Context,
  caller: Caller,
  invitationId: string,
): Promise<void> {
  const { email } = (await provedAddress(ctx, caller)) ?? { email: '' }
  const invitation = await requireOwn(ctx, email, invitationId)
  const { database, audit } = ctx.services
  await database.db.transaction().execute(async (trx) => {
    if (!(await endInvitation(trx, invitation.id, 'declined'))) throw unknownInvitation()
    await audit.record(ctx, caller, invitationEntry('invitation.declined', invitation), trx)
  })
}

const unknownInvitation = () => new AppError('not_found', errorText('unknownInvitation'))

/** The caller's address as on record, where it is proved; a token's claim proves nothing. */
async function provedAddress(
  { services }: Context,
  caller: Caller,
): Promise<{ userId: string; email: string } | undefined> {
  const { db } = services.database
  if (caller.id === undefined) return undefined
  const user = await findUser(db, caller.id)
  if (!user || !(await readTrust(db, user.id))?.proved) return undefined
  return { userId: user.id, email: user.email }
}

async function requireOwn(ctx: Context, email: string, id: string): Promise<InvitationRow> {
  const invitation = await findInvitation(ctx.services.database.db, id)
  const open = invitation?.state === 'pending' || invitation?.state === 'opened'
  if (!invitation || !open || invitation.email !== email) throw unknownInvitation()
  return invitation
}
