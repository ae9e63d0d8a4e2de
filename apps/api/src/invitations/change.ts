import type { InvitationView } from '@atrium/core/invitations/invitations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  endInvitation,
  findInvitation,
  type InvitationRow,
  lockInvitation,
  renewInvitation,
} from '@atrium/db/invitations/invitations'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { rejectAdminOnBehalf } from '../members/change-member.ts'
import { rejectWithoutSeat } from '../members/seats.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Access, OwnPartner } from '../rpc/guards.ts'
import type { Take } from '../rpc/limits.ts'
import { lockOpenTenant, type OpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { holdOwnPartner } from '../rpc/partner-lock.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { requirePortal } from '../users/access-link.ts'
import { mailInvitation } from '../users/invitation-mails.ts'
import { toRecipient } from '../users/issue-invitation.ts'
import { invitationEntry } from '../users/record-invitation.ts'
import { toInvitationView } from '../users/view-invitation.ts'

/** Whose invitation is changed, as the guard has shown. */
export type Holder = { access: Access } | { partner: OwnPartner } | { operator: Caller }

const callerOf = (holder: Holder): Caller =>
  'operator' in holder
    ? holder.operator
    : 'access' in holder
      ? holder.access.caller
      : holder.partner.caller

/**
 * Mails an open or expired invitation again, with as much time as a new one; the link of the
 * earlier mail is void as soon as this one is sent. Throws AppError `not_found`,
 * `invitation_ended`, `email_taken`, `seats_exhausted`, `rate_limited`, `integration_off`,
 * `tenant_suspended`, `tenant_deleted`.
 */
export async function resendInvitation(
  ctx: Context,
  holder: Holder,
  invitationId: string,
): Promise<InvitationView> {
  const { services } = ctx
  requirePortal(services.config)
  const change = async (trx: Trx, tenant?: OpenTenant) => {
    const invitation = await requireOwn(trx, holder, invitationId)
    if (!['pending', 'opened', 'expired'].includes(invitation.state))
      throw new AppError('invitation_ended')
    // Until now its seat was free for others.
    if (tenant && invitation.state === 'expired') await rejectWithoutSeat(trx, services, tenant)
    await renewInvitation(trx, invitationId, services.config.invitationDays)
    await mailInvitation(services, trx, invitation)
    await services.limits.takeIn(trx, ctx.request, repeats(holder, invitation))
    return record(ctx, trx, holder, invitationId, 'invitation.resent')
  }
  try {
    return toInvitationView(await inTransaction(ctx, holder, change))
  } catch (error) {
    if (!violatedConstraint(error)?.startsWith('invitations_open')) throw error
    throw new AppError('email_taken', errorText('newerInvitation'), { cause: error })
  }
}

/**
 * Revokes an invitation that was not accepted: its link opens nothing, and its seat is free. Throws
 * AppError `not_found`, `invitation_ended`.
 */
export async function revokeInvitation(
  ctx: Context,
  holder: Holder,
  invitationId: string,
): Promise<InvitationView> {
  const revoked = await inTransaction(ctx, holder, async (trx) => {
    await requireOwn(trx, holder, invitationId)
    if (!(await endInvitation(trx, invitationId, 'revoked'))) throw new AppError('invitation_ended')
    return record(ctx, trx, holder, invitationId, 'invitation.revoked')
  })
  return toInvitationView(revoked)
}

/** Under the lock of the place, so that the right to do it is checked again. */
function inTransaction(
  { services }: Context,
  holder: Holder,
  work: (trx: Trx, tenant?: OpenTenant) => Promise<InvitationRow>,
): Promise<InvitationRow> {
  if ('access' in holder)
    return tenantTransaction(services, holder.access.tenant.id, async (trx) => {
      const tenant = await lockOpenTenant(trx, holder.access.tenant.slug)
      await rejectFormerAdmin(trx, holder.access)
      return work(trx, tenant)
    })
  return services.database.db.transaction().execute(async (trx) => {
    if ('partner' in holder) await holdOwnPartner(trx, holder.partner, 'manageStaff')
    return work(trx)
  })
}

async function requireOwn(trx: Trx, holder: Holder, id: string): Promise<InvitationRow> {
  const invitation = await lockInvitation(trx, id)
  if (!invitation || !isWithin(invitation, holder))
    throw new AppError('not_found', errorText('unknownInvitation'))
  if ('access' in holder && invitation.role !== 'member') rejectAdminOnBehalf(holder.access)
  return invitation
}

function isWithin({ kind, tenantId, partnerId }: InvitationRow, holder: Holder): boolean {
  if ('access' in holder) return tenantId === holder.access.tenant.id
  if ('partner' in holder) return partnerId === holder.partner.partner.id
  return kind === 'operator'
}

function repeats(holder: Holder, { email, tenantId }: InvitationRow): Take[] {
  return [
    tenantId === null
      ? { limit: 'staff_invitations_day', of: callerOf(holder).subject }
      : { limit: 'invitation_repeats_day', of: tenantId },
    toRecipient(email),
  ]
}

/** Records the change in its transaction, and returns the invitation as it is now. */
async function record(
  ctx: TransactionContext,
  trx: Trx,
  holder: Holder,
  id: string,
  action: 'invitation.resent' | 'invitation.revoked',
): Promise<InvitationRow> {
  const invitation = await findInvitation(trx, id)
  if (!invitation) throw new AppError('not_found', errorText('unknownInvitation'))
  await ctx.services.audit.record(ctx, callerOf(holder), invitationEntry(action, invitation), trx)
  return invitation
}
