import type { InviteStaff, StaffInvitation } from '@atrium/core/partners/partner-team'
import { findInvitedStaff } from '@atrium/db/members/invitations'
import { insertPerson } from '@atrium/db/members/members'
import { setStaff } from '@atrium/db/partners/partner-team'
import type { Trx } from '@atrium/db/platform/connect'
import { findUser, findUserByEmail, lockEmail, updateUser } from '@atrium/db/users/users'
import type { Context } from '../rpc/context.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { ofRecipient } from '../rpc/limits.ts'
import { holdOwnPartner } from '../rpc/partner-lock.ts'
import type { InTransaction } from '../rpc/services.ts'
import { requirePortal } from '../users/access-link.ts'
import { mailStaffInvitation } from '../users/access-mails.ts'
import { requireIdentity } from '../users/identity.ts'
import { onStaffAlready, rejectManagedElsewhere, rejectStaff } from './attachable.ts'

/**
 * Invites a person to a partner's staff: the address gets a link, and the person who follows it
 * joins. Until then no one is attached, no identity is created, and no link or password is shown.
 * Repeating it for an open invitation updates name and level and sends another link. Throws
 * AppError `already_exists` for existing staff, `email_exists` for staff of another partner, for
 * deactivated accounts and for people managed by a tenant that has not consented,
 * `integration_off`, `unavailable`.
 */
export async function inviteStaff(
  ctx: Context,
  proof: OwnPartner,
  input: InviteStaff,
): Promise<StaffInvitation> {
  const { services } = ctx
  requireIdentity(services)
  requirePortal(services.config)
  await services.limits.take(ctx.request, [
    { limit: 'staff_invitations_day', of: proof.caller.subject },
    { limit: 'invitations_recipient_day', of: ofRecipient(input.email) },
  ])
  const userId = await services.database.db
    .transaction()
    .execute((trx) => invite(services, trx, proof, input))
  await services.audit.record(ctx, proof.caller, {
    action: 'partner_team.invited',
    resourceType: 'user',
    resourceId: userId,
    resourceName: input.email,
    partnerSlug: proof.partner.slug,
    metadata: { access: input.access, handoff: 'mail' },
  })
  return { userId, access: input.access, handoff: 'mail' }
}

async function invite(
  services: InTransaction,
  trx: Trx,
  proof: OwnPartner,
  { email, name, access }: InviteStaff,
): Promise<string> {
  // Two invitations of one address wait for each other here; the second then finds the first one's
  // record.
  await lockEmail(trx, email)
  const partner = await holdOwnPartner(trx, proof, 'manageStaff')
  const known = await findUserByEmail(trx, email)
  const user = known && (await findUser(trx, known.id))
  if (user?.partnerId === partner.id) throw onStaffAlready()
  if (user) rejectStaff(user, partner.id)
  await rejectManagedElsewhere(trx, proof.caller, email, user)
  const open = await findInvitedStaff(trx, partner.id, email)
  const userId =
    open?.id ??
    (await insertPerson(trx, { email, name, ...unknown, homeTenantId: null, invited: true }))
  if (open) await updateUser(trx, userId, { name })
  await setStaff(trx, userId, { partnerId: partner.id, access })
  const inviter = proof.caller.name ?? proof.caller.email ?? partner.name
  await mailStaffInvitation(services, trx, { userId, email, name, partner, inviter })
  return userId
}

const unknown = { firstName: null, lastName: null, phone: null, alternativeEmail: null }
