import type { TransferredOwnership } from '@atrium/core/members/members'
import { AppError } from '@atrium/core/platform/errors'
import { revokeOwnerInvitation } from '@atrium/db/invitations/invitations'
import { changeMembership, lockMember, yieldOwnership } from '@atrium/db/members/members'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { invitationEntry } from '../users/record-invitation.ts'
import { rejectUntrusted } from './change-member.ts'
import { noSuchMember, requireMember } from './list.ts'
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
  const { owner, previous } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const member = await lockMember(trx, open.id, userId)
    if (!member) throw noSuchMember()
    if (member.role === 'owner') throw new AppError('already_owner')
    const active = member.membershipStatus === 'active' && member.deactivatedAt === null
    if (!active) throw new AppError('member_not_active')
    rejectUntrusted(member)
    const previousOwnerId = (await yieldOwnership(trx, open.id))?.previousOwnerId ?? null
    await changeMembership(trx, open.id, userId, { role: 'owner' })
    const revoked = await revokeOwnerInvitation(trx, open.id)
    const owner = await requireMember(trx, open.id, userId)
    const previous =
      previousOwnerId === null ? null : await requireMember(trx, open.id, previousOwnerId)
    if (revoked) {
      const entry = invitationEntry('invitation.revoked', revoked)
      await services.audit.record(ctx, access.caller, entry, trx)
    }
    const entry: AuditEntry = {
      action: 'tenant.ownership_transferred',
      resourceType: 'tenant',
      resourceId: open.id,
      resourceName: open.name,
      tenantSlug: open.slug,
      partnerSlug: open.partnerSlug,
      metadata: {
        changes: { owner: [previous?.email ?? null, owner.email] },
        previousOwnerId,
        ownerId: owner.id,
      },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
    return { owner, previous }
  })
  return {
    owner: toMemberView(owner, access),
    previousOwner: previous && toMemberView(previous, access),
  }
}
