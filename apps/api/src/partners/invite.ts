import { AppError } from '@atrium/core/errors'
import type { InviteStaff, StaffInvitation } from '@atrium/core/partner-team'
import { findCaller } from '@atrium/db/callers'
import type { Db, Trx } from '@atrium/db/connect'
import { lockUser, setStaff } from '@atrium/db/partner-team'
import type { PartnerRow } from '@atrium/db/partners'
import { findUser, findUserByEmail, insertUser, lockOfEmail, type UserRow } from '@atrium/db/users'
import type { IdentityUser } from '@atrium/integrations/identity/port'
import type { Context } from '../context.ts'
import type { OwnPartner } from '../guards.ts'
import type { House, InTransaction } from '../house.ts'
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
  // Each holds a connection for the lock, so those of one process follow one another.
  const invitation = await house.turns.take('invitations', () =>
    // Two invitations of one address wait for each other here; the second then finds the first one's record.
    house.database.exclusively(lockOfEmail(input.email), () => invite(ctx, proof, input)),
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

async function invite(ctx: Context, proof: OwnPartner, input: InviteStaff): Promise<StaffInvitation> {
  const { house } = ctx
  const { db } = house.database
  await house.limits.take(ctx.request, [{ limit: 'staff_invitations_day', of: proof.caller.subject }])
  // Before anything is done at the provider; each transaction below looks at the right again.
  await db.transaction().execute((trx) => holdOwnPartner(trx, proof, 'manageStaff'))
  const known = await findUserByEmail(db, input.email)
  const there = known && (await findUser(db, known.id))
  const left = there && leftOnNoStaff(there)
  if (left) return comeIn(ctx, proof, left, input)
  if (there) return attach(ctx, proof, there.id, input)
  const stranger = await orUpstreamFailed(() => requireIdentity(house).findUserByEmail(input.email))
  if (stranger?.active) return record(ctx, proof, stranger, input)
  return comeIn(ctx, proof, await begin(ctx, input, stranger !== undefined), input)
}

/** Puts the person on the staff and queues the mail that tells them of it. */
async function join(
  trx: Trx,
  house: InTransaction,
  { proof, partner }: { proof: OwnPartner; partner: PartnerRow },
  userId: string,
  input: InviteStaff,
): Promise<void> {
  const inviter = proof.caller.name ?? proof.caller.email ?? partner.name
  await setStaff(trx, userId, { partnerId: partner.id, access: input.access })
  await sendInvitation(trx, house, { userId, email: input.email, name: input.name, partner, inviter })
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

async function comeIn(ctx: Context, proof: OwnPartner, begun: Begun, input: InviteStaff): Promise<StaffInvitation> {
  const { userId, subject } = begun
  const handover = await letIn(ctx, requireIdentity(ctx.house), begun, async (trx) => {
    const partner = await holdOwnPartner(trx, proof, 'manageStaff')
    await join(trx, ctx.house, { proof, partner }, userId, input)
  })
  const handoff = handover.link === undefined ? ('tempPassword' as const) : ('link' as const)
  return { userId, subject, access: input.access, handoff, ...handover }
}

/** Somebody with a record here. */
async function attach({ house }: Context, proof: OwnPartner, userId: string, input: InviteStaff): Promise<StaffInvitation> {
  const { db } = house.database
  const user = await attachable(db, userId, proof)
  if (house.systems.identity) {
    const idpUserId = await orUpstreamFailed(() => idpUserIdOf(house, user))
    if (idpUserId) await joinStaffGroup(house, idpUserId)
  }
  await db.transaction().execute(async (trx) => {
    const partner = await holdOwnPartner(trx, proof, 'manageStaff')
    await lockUser(trx, user.id)
    await attachable(trx, userId, proof)
    await join(trx, house, { proof, partner }, user.id, input)
  })
  return { userId: user.id, subject: user.idpSubjectId, access: input.access, handoff: 'existing' }
}

async function attachable(db: Db | Trx, userId: string, { partner, caller }: OwnPartner): Promise<UserRow> {
  const user = await findUser(db, userId)
  if (!user) throw new AppError('not_found')
  const elsewhere = user.partnerId !== null && user.partnerStatus !== 'terminated'
  if (user.partnerId === partner.id)
    throw new AppError('already_exists', 'This person is on the staff already.', at('email', 'This person is on the staff already.'))
  if (elsewhere) throw refusedAddress('This person works for another partner.')
  if (user.deactivatedAt) throw refusedAddress('This account has been deactivated.')
  if (user.platformAdmin && !caller.operator) throw refusedAddress('Only an operator can put this account on a staff.')
  return user
}

const at = (path: string, message: string) => ({ issues: [{ path, message }] })
const refusedAddress = (message: string) => new AppError('email_exists', message, at('email', message))

/** Somebody whom the identity provider knows and who has never signed in here. */
async function record({ house }: Context, proof: OwnPartner, person: IdentityUser, input: InviteStaff): Promise<StaffInvitation> {
  const { db } = house.database
  const { subject, id: idpUserId } = person
  const otherRecord = () => refusedAddress('Another record has this account.')
  // The group gives no right here, but nobody is put into it who is then refused.
  if (await findCaller(house.database, subject)) throw otherRecord()
  await joinStaffGroup(house, idpUserId)
  const userId = await db.transaction().execute(async (trx) => {
    const partner = await holdOwnPartner(trx, proof, 'manageStaff')
    const inserted = await insertUser(trx, { subject, idpUserId, email: input.email, name: person.name || input.name })
    if (!inserted) throw otherRecord()
    await join(trx, house, { proof, partner }, inserted.id, input)
    return inserted.id
  })
  return { userId, subject, access: input.access, handoff: 'existing' }
}

function joinStaffGroup(house: House, userId: string): Promise<void> {
  return orUpstreamFailed(async () => {
    const identity = requireIdentity(house)
    const group = await identity.ensureGroup({ name: house.config.groups.partnerStaff })
    await identity.addToGroup({ groupId: group.id, userId })
  })
}
