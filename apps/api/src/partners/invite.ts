import { AppError } from '@atrium/core/errors'
import type { PartnerAccess } from '@atrium/core/partner-access'
import type { InviteStaff, StaffInvitation } from '@atrium/core/partner-team'
import type { Trx } from '@atrium/db/connect'
import { lockUser, setStaff } from '@atrium/db/partner-team'
import type { PartnerRow } from '@atrium/db/partners'
import { findUser, findUserByEmail, insertUser, lockEmail, type UserRow } from '@atrium/db/users'
import type { IdentityUser } from '@atrium/integrations/identity/port'
import type { Context } from '../context.ts'
import type { OwnPartner } from '../guards.ts'
import type { House } from '../house.ts'
import { idpUserIdOf, orUpstreamFailed, requireIdentity } from '../users/identity.ts'
import { createIdentity, handOver, removeFailedIdentity } from '../users/new-identity.ts'
import { holdOwnPartner } from './act.ts'
import { sendInvitation } from './invitation-mail.ts'

/**
 * Puts somebody on a partner's staff. A new person gets an identity in the shared group of partner staff and a recovery link or, where the
 * provider has no recovery flow, a temporary password; whoever has an account already is attached to the partner with it. When a later
 * part fails a new identity is removed again, so that the invitation can simply be repeated. Throws AppError `already_exists` for somebody
 * on the staff already, `email_exists` for staff of another partner and for accounts that only operators may attach, `upstream_failed`.
 */
export async function inviteStaff(ctx: Context, proof: OwnPartner, input: InviteStaff): Promise<StaffInvitation> {
  const { house } = ctx
  const invitation = await house.database.db.transaction().execute(async (trx) => {
    // Two invitations of one address wait for each other here; the second then finds the first one's record.
    await lockEmail(trx, input.email)
    const partner = await holdOwnPartner(trx, proof, 'manageStaff')
    const known = await findUserByEmail(trx, input.email)
    const invited = known ? await attach(ctx, trx, proof, partner, known.id, input.access) : await invite(ctx, trx, partner, input)
    const inviter = proof.caller.name ?? proof.caller.email ?? partner.name
    await sendInvitation(trx, house, { userId: invited.userId, email: input.email, name: input.name, partner, inviter })
    return invited
  })
  await house.audit.record(ctx, proof.caller, {
    action: 'partner_team.invited',
    resourceType: 'user',
    resourceId: invitation.userId,
    resourceName: input.email,
    partnerSlug: proof.partner.slug,
    metadata: { access: input.access, handoff: invitation.handoff },
  })
  return invitation
}

/** Somebody without a record here. */
async function invite(ctx: Context, trx: Trx, partner: PartnerRow, input: InviteStaff): Promise<StaffInvitation> {
  const stranger = await orUpstreamFailed(() => requireIdentity(ctx.house).findUserByEmail(input.email))
  return stranger ? record(ctx, trx, partner, stranger, input) : create(ctx, trx, partner, input)
}

/** Somebody with a record here. */
async function attach(
  { house }: Context,
  trx: Trx,
  { caller }: OwnPartner,
  partner: PartnerRow,
  userId: string,
  access: PartnerAccess,
): Promise<StaffInvitation> {
  const user = await attachable(trx, userId, partner, caller.operator)
  if (house.systems.identity) {
    const idpUserId = await orUpstreamFailed(() => idpUserIdOf(house, user))
    if (idpUserId) await joinStaffGroup(house, idpUserId)
  }
  // Not before the provider was asked: what it tells is written to this row by another connection.
  await lockUser(trx, user.id)
  await attachable(trx, userId, partner, caller.operator)
  await setStaff(trx, user.id, { partnerId: partner.id, access })
  return { userId: user.id, subject: user.idpSubjectId, access, handoff: 'existing' }
}

async function attachable(trx: Trx, userId: string, partner: PartnerRow, byOperator: boolean): Promise<UserRow> {
  const user = await findUser(trx, userId)
  if (!user) throw new AppError('not_found')
  const elsewhere = user.partnerId !== null && user.partnerStatus !== 'terminated'
  if (user.partnerId === partner.id)
    throw new AppError('already_exists', 'This person is on the staff already.', at('email', 'This person is on the staff already.'))
  if (elsewhere) throw refusedAddress('This person works for another partner.')
  if (user.deactivatedAt) throw refusedAddress('This account has been deactivated.')
  if (user.platformAdmin && !byOperator) throw refusedAddress('Only an operator can put this account on a staff.')
  return user
}

const at = (path: string, message: string) => ({ issues: [{ path, message }] })
const refusedAddress = (message: string) => new AppError('email_exists', message, at('email', message))

/** Somebody whom the identity provider knows and who has never signed in here. */
async function record(
  { house }: Context,
  trx: Trx,
  partner: PartnerRow,
  person: IdentityUser,
  input: InviteStaff,
): Promise<StaffInvitation> {
  if (!person.active) throw refusedAddress('This account has been deactivated.')
  const inserted = await insertUser(trx, {
    subject: person.subject,
    idpUserId: person.id,
    email: input.email,
    name: person.name || input.name,
  })
  if (!inserted) throw refusedAddress('Another record has this account.')
  await joinStaffGroup(house, person.id)
  await setStaff(trx, inserted.id, { partnerId: partner.id, access: input.access })
  return { userId: inserted.id, subject: person.subject, access: input.access, handoff: 'existing' }
}

/** Somebody new. */
async function create(ctx: Context, trx: Trx, partner: PartnerRow, input: InviteStaff): Promise<StaffInvitation> {
  const { house } = ctx
  const identity = requireIdentity(house)
  const { email, name, access } = input
  const user = await orUpstreamFailed(() => createIdentity(house, identity, { email, name, group: house.config.groups.partnerStaff }))
  try {
    const handover = await orUpstreamFailed(() => handOver(house, identity, user.id))
    const inserted = await insertUser(trx, { subject: user.subject, idpUserId: user.id, email, name })
    if (!inserted) throw new AppError('email_exists')
    await setStaff(trx, inserted.id, { partnerId: partner.id, access })
    const handoff = handover.link === undefined ? ('tempPassword' as const) : ('link' as const)
    return { userId: inserted.id, subject: user.subject, access, handoff, ...handover }
  } catch (error) {
    await removeFailedIdentity(ctx, identity, user.id)
    throw error
  }
}

function joinStaffGroup(house: House, userId: string): Promise<void> {
  return orUpstreamFailed(async () => {
    const identity = requireIdentity(house)
    const group = await identity.ensureGroup({ name: house.config.groups.partnerStaff })
    await identity.addToGroup({ groupId: group.id, userId })
  })
}
