import type { TransferredOwnership } from '@atrium/core/members/members'
import { AppError } from '@atrium/core/platform/errors'
import { revokeOwnerInvitation } from '@atrium/db/invitations/invitations'
import { changeMembership, lockMember, yieldOwnership } from '@atrium/db/members/members'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { invitationEntry } from '../users/record-invitation.ts'
import { rejectUntrusted } from './change-member.ts'
import { noSuchMember, readMember } from './list.ts'
import { toMemberView } from './view.ts'

/**
 * Makes another active member the owner and the previous owner an admin, in one transaction; the
 * schema keeps exactly one. A tenant that awaits its owner gets the first one. An open invitation
 * of an owner ends with it. Throws AppError `already_owner`, `member_not_active`,
 * `address_not_proved`, `not_found`.
 */
export async function transferOwnership(
  ctx: Context,
  access: Access,
  userId: string,
): Promise<TransferredOwnership> {
  const { services } = ctx
  const { tenant, previousOwnerId, revoked } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      const member = await lockMember(trx, open.id, userId)
      if (!member) throw noSuchMember()
      if (member.role === 'owner') throw new AppError('already_owner')
      const active = member.membershipStatus === 'active' && member.deactivatedAt === null
      if (!active) throw new AppError('member_not_active')
      rejectUntrusted(member)
      const previous = await yieldOwnership(trx, open.id)
      await changeMembership(trx, open.id, userId, { role: 'owner' })
      const revoked = await revokeOwnerInvitation(trx, open.id)
      return { tenant: open, revoked, previousOwnerId: previous?.previousOwnerId ?? null }
    },
  )
  const [owner, previous] = await Promise.all([
    readMember(services, access, userId),
    previousOwnerId === null ? null : readMember(services, access, previousOwnerId),
  ])
  if (revoked)
    await services.audit.record(ctx, access.caller, invitationEntry('invitation.revoked', revoked))
  await services.audit.record(ctx, access.caller, {
    action: 'tenant.ownership_transferred',
    resourceType: 'tenant',
    resourceId: tenant.id,
    resourceName: tenant.name,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: {
      changes: { owner: [previous?.email ?? null, owner.email] },
      previousOwnerId,
      ownerId: owner.id,
    },
  })
  return {
    owner: toMemberView(owner, access),
    previousOwner: previous && toMemberView(previous, access),
  }
}
