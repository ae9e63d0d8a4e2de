import type {
  InvitationOutcomes,
  InviteMembers,
  InviteOperators,
} from '@atrium/core/invitations/invitations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findUser, findUserByEmail, lockEmail } from '@atrium/db/users/users'
import { rejectAdminOnBehalf } from '../members/change-member.ts'
import { invitationTakes, inviteMember } from '../members/invite.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { requirePortal } from '../users/access-link.ts'
import { requireIdentity } from '../users/identity.ts'
import { inviteEach, recordInvited } from '../users/invite-each.ts'
import { inviterOf, issueInvitation, nameFrom, toRecipient } from '../users/issue-invitation.ts'
import { toOutcomes } from '../users/view-invitation.ts'

/**
 * Invites people to a tenant, as members or one of them as its owner, each with what became of it.
 * Throws AppError `tenant_suspended`, `tenant_deleted`, `not_admin`, `integration_off`,
 * `on_behalf_excluded`, `rate_limited`, and `invalid_input` for several owners.
 */
export async function inviteMembers(
  ctx: Context,
  access: Access,
  { invitees, role, listIds, language, message }: InviteMembers,
): Promise<InvitationOutcomes> {
  const { services } = ctx
  const { caller } = access
  if (role !== 'member') rejectAdminOnBehalf(access)
  requirePortal(services.config)
  if (role === 'owner' && invitees.length > 1)
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'invitees', message: errorText('oneOwner') }],
    })
  const outcomes = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const terms = { role, listIds, language, message, inviter: inviterOf(caller, tenant.name) }
    const done = await inviteEach(invitees, (invitee) =>
      inviteMember(services, trx, tenant, invitee, terms),
    )
    const emails = done.flatMap(({ email, invitation }) => (invitation ? [email] : []))
    if (emails.length > 0)
      await services.limits.takeIn(
        trx,
        ctx.request,
        await invitationTakes(services, trx, tenant.id, emails),
      )
    await recordInvited(ctx, trx, caller, done)
    return done
  })
  return toOutcomes(outcomes)
}

/**
 * Invites people to become operators, each with what became of it: unlike `POST /users/invite` also
 * people who are known, and nothing is created before they accept. Throws AppError
 * `integration_off`, `rate_limited`, `unavailable`.
 */
export async function inviteOperators(
  ctx: Context,
  caller: Caller,
  { invitees, language, message }: InviteOperators,
): Promise<InvitationOutcomes> {
  const { services } = ctx
  requireIdentity(services)
  requirePortal(services.config)
  await services.limits.take(ctx.request, [
    { limit: 'staff_invitations_day', of: caller.subject, amount: invitees.length },
    ...invitees.map(({ email }) => toRecipient(email)),
  ])
  const inviter = inviterOf(caller, 'Atrium')
  const outcomes = await services.database.db.transaction().execute(async (trx) => {
    const done = await inviteEach(invitees, async (invitee) => {
      const { email } = invitee
      await lockEmail(trx, email)
      const known = await findUserByEmail(trx, email)
      const user = known && (await findUser(trx, known.id))
      if (user?.platformAdmin || user?.deactivatedAt) throw new AppError('email_exists')
      const person = { email, name: nameFrom(invitee) }
      return issueInvitation(services, trx, {
        kind: 'operator',
        ...person,
        language,
        message,
        inviter,
      })
    })
    await recordInvited(ctx, trx, caller, done)
    return done
  })
  return toOutcomes(outcomes)
}
