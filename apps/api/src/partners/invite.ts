import type { InvitationOutcomes, InviteManyStaff } from '@atrium/core/invitations/invitations'
import type { InviteStaff, StaffInvitation } from '@atrium/core/partners/partner-team'
import type { Trx } from '@atrium/db/platform/connect'
import { findUser, findUserByEmail } from '@atrium/db/users/users'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { holdOwnPartner } from '../rpc/partner-lock.ts'
import { requirePortal } from '../users/access-link.ts'
import { requireIdentity } from '../users/identity.ts'
import { inviteEach, type Outcome, recordInvited } from '../users/invite-each.ts'
import { inviterOf, issueInvitation, nameFrom, toRecipient } from '../users/issue-invitation.ts'
import { toOutcomes } from '../users/view-invitation.ts'
import { onStaffAlready, rejectManagedElsewhere, rejectStaff } from './attachable.ts'

/**
 * Invites one person to a partner's staff: the address gets a link, and the person who accepts
 * joins. Until then no one is attached, no identity is created, and no link or password is shown.
 * Throws AppError `already_exists` for existing staff, `email_taken` for an address that is invited
 * already, `email_exists` for staff of another partner, for deactivated accounts and for people
 * managed by a tenant that has not consented, `integration_off`, `unavailable`.
 */
export async function inviteStaff(
  ctx: Context,
  proof: OwnPartner,
  { slug, access, ...invitee }: InviteStaff,
): Promise<StaffInvitation> {
  const [outcome] = await invite(ctx, proof, { slug, access, invitees: [invitee] })
  if (outcome?.invitation === undefined) throw outcome?.rejection
  return { invitationId: outcome.invitation.id, access, handoff: 'mail' }
}

/** The same for many addresses, each with what became of it. */
export async function inviteManyStaff(
  ctx: Context,
  proof: OwnPartner,
  input: InviteManyStaff,
): Promise<InvitationOutcomes> {
  return toOutcomes(await invite(ctx, proof, input))
}

async function invite(
  ctx: Context,
  proof: OwnPartner,
  { invitees, access, language, message }: InviteManyStaff,
): Promise<Outcome[]> {
  const { services } = ctx
  const { caller } = proof
  requireIdentity(services)
  requirePortal(services.config)
  await services.limits.take(ctx.request, [
    { limit: 'staff_invitations_day', of: caller.subject, amount: invitees.length },
    ...invitees.map(({ email }) => toRecipient(email)),
  ])
  return services.database.db.transaction().execute(async (trx) => {
    const partner = await holdOwnPartner(trx, proof, 'manageStaff')
    const terms = { access, language, message, inviter: inviterOf(caller, partner.name) }
    const outcomes = await inviteEach(invitees, async (invitee) => {
      await rejectUnattachable(trx, proof, invitee.email)
      const { email } = invitee
      const person = { email, name: nameFrom(invitee) }
      return issueInvitation(services, trx, {
        ...terms,
        kind: 'staff',
        partnerId: partner.id,
        ...person,
      })
    })
    await recordInvited(ctx, trx, caller, outcomes)
    return outcomes
  })
}

async function rejectUnattachable(trx: Trx, proof: OwnPartner, email: string): Promise<void> {
  const known = await findUserByEmail(trx, email)
  const user = known && (await findUser(trx, known.id))
  if (user?.partnerId === proof.partner.id) throw onStaffAlready()
  if (user) rejectStaff(user, proof.partner.id)
  await rejectManagedElsewhere(trx, proof.caller, email, user)
}
