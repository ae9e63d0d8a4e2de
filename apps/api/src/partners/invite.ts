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
import { type Begun, beginInvitation, leftByInvitation, letIn } from '../users/let-in.ts'
import { holdOwnPartner } from './act.ts'
import { sendInvitation } from './invitation-mail.ts'

/**
 * Puts somebody on a partner's staff. A new person gets a shut identity in the shared group of partner staff and a shut record, then a
 * recovery link or, where the provider has no recovery flow, a temporary password, and only then comes in; whoever has an account already
 * is attached to the partner with it. When a later part fails a new identity is removed again; when the process dies, the same invitation
 * goes on where it ended. So it can simply be repeated. Throws AppError `already_exists` for somebody on the staff already, `email_exists`
 * for staff of another partner and for accounts that only operators may attach, `upstream_failed`.
 */
export async function inviteStaff(ctx: Context, proof: OwnPartner, input: InviteStaff): Promise<StaffInvitation> {
  const { house } = ctx
  // Each holds one connection for the locks and takes others for its work, so they follow one another.
  const invitation = await house.turns.take('invitations', () =>
    house.database.db.transaction().execute(async (trx) => {
      // Two invitations of one address wait for each other here; the second then finds the first one's record.
      await lockEmail(trx, input.email)
      const partner = await holdOwnPartner(trx, proof, 'manageStaff')
      return invite(ctx, trx, proof, partner, input)
    }),
  )
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

async function invite(ctx: Context, trx: Trx, proof: OwnPartner, partner: PartnerRow, input: InviteStaff): Promise<StaffInvitation> {
  const { house } = ctx
  const known = await findUserByEmail(trx, input.email)
  const there = known && (await findUser(trx, known.id))
  const inviter = proof.caller.name ?? proof.caller.email ?? partner.name
  const tell = (by: Trx, userId: string) => sendInvitation(by, house, { userId, email: input.email, name: input.name, partner, inviter })
  const left = there && leftOnNoStaff(there)
  if (left) return comeIn(ctx, left, partner, input, tell)
  if (there) return told(trx, tell, await attach(ctx, trx, proof, partner, there.id, input.access))
  const stranger = await orUpstreamFailed(() => requireIdentity(house).findUserByEmail(input.email))
  if (stranger?.active) return told(trx, tell, await record(ctx, trx, partner, stranger, input))
  return comeIn(ctx, await begin(ctx, input, stranger !== undefined), partner, input, tell)
}

type Tell = (by: Trx, userId: string) => Promise<void>

async function told(trx: Trx, tell: Tell, invitation: StaffInvitation): Promise<StaffInvitation> {
  await tell(trx, invitation.userId)
  return invitation
}

/** What an invitation has left whose process died. An operator's is for operators to go on with. */
function leftOnNoStaff(user: UserRow): Begun | undefined {
  return user.platformAdmin || user.partnerId !== null ? undefined : leftByInvitation(user)
}

/** Somebody new. `shut`: the provider has a shut identity with the address, which has to be an invitation's. */
async function begin(ctx: Context, { email, name }: InviteStaff, shut: boolean): Promise<Begun> {
  const group = ctx.house.config.groups.partnerStaff
  try {
    return await beginInvitation(ctx, requireIdentity(ctx.house), { email, name, group, platformAdmin: false })
  } catch (error) {
    if (shut && error instanceof AppError && error.code === 'email_exists') throw refusedAddress('This account has been deactivated.')
    throw error
  }
}

async function comeIn(ctx: Context, begun: Begun, partner: PartnerRow, { access }: InviteStaff, tell: Tell): Promise<StaffInvitation> {
  const { userId, subject } = begun
  const handover = await letIn(ctx, requireIdentity(ctx.house), begun, async (trx) => {
    await setStaff(trx, userId, { partnerId: partner.id, access })
    await tell(trx, userId)
  })
  const handoff = handover.link === undefined ? ('tempPassword' as const) : ('link' as const)
  return { userId, subject, access, handoff, ...handover }
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

function joinStaffGroup(house: House, userId: string): Promise<void> {
  return orUpstreamFailed(async () => {
    const identity = requireIdentity(house)
    const group = await identity.ensureGroup({ name: house.config.groups.partnerStaff })
    await identity.addToGroup({ groupId: group.id, userId })
  })
}
