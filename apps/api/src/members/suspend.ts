import type { MemberView } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { provisioningSteps, type TenantStatus } from '@atrium/core/tenants/tenants'
import { changeMembership } from '@atrium/db/members/members'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import {
  beginMemberChange,
  isSelf,
  type MemberChange,
  outcomeOf,
  recordMember,
  rejectLastAdmin,
} from './change-member.ts'
import { readMember } from './list.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Disables a member immediately: every request is rejected, the mailbox is frozen with its password
 * kept, the identity deactivated with its sessions ended. Failures of upstream systems appear in
 * the outcomes and are retried. Throws AppError `self_suspend`, `owner_locked`, `last_admin`,
 * `already_suspended`, `member_not_active`.
 */
export function suspendMember(ctx: Context, access: Access, userId: string): Promise<MemberView> {
  const decide = async (facts: MemberChange) => {
    const { trx, tenant, member } = facts
    if (isSelf(facts)) throw new AppError('self_suspend')
    if (member.role === 'owner') throw new AppError('owner_locked', errorText('ownerSuspend'))
    if (member.membershipStatus === 'suspended') throw new AppError('already_suspended')
    if (member.membershipStatus === 'removing')
      throw new AppError('member_not_active', errorText('memberBeingRemoved'))
    await rejectLastAdmin(facts)
    await changeMembership(trx, tenant.id, member.id, { status: 'suspended' }, provisioningSteps)
  }
  return turn(ctx, access, userId, 'member.suspended', decide, evenSuspended)
}

/**
 * Restores access: identity active, mailbox with its previous permissions and password.
 * Throws AppError `not_suspended`.
 */
export function resumeMember(ctx: Context, access: Access, userId: string): Promise<MemberView> {
  return turn(ctx, access, userId, 'member.resumed', async ({ trx, tenant, member }) => {
    if (member.membershipStatus !== 'suspended') throw new AppError('not_suspended')
    await changeMembership(
      trx,
      tenant.id,
      member.id,
      { status: 'active', identity_changed_at: 'now' },
      provisioningSteps,
    )
  })
}

async function turn(
  ctx: Context,
  access: Access,
  userId: string,
  action: 'member.suspended' | 'member.resumed',
  decide: (facts: MemberChange) => Promise<void>,
  even: readonly TenantStatus[] = [],
): Promise<MemberView> {
  const {
    tenant,
    member: before,
    work,
  } = await beginMemberChange(ctx, access, userId, decide, even)
  await runMember(ctx.services, work)
  const member = await readMember(ctx.services, access, userId)
  await recordMember(ctx, access, tenant, {
    action,
    member,
    metadata: {
      changes: { status: [before.membershipStatus, member.membershipStatus] },
      complete: outcomeOf(member) === 'success',
    },
  })
  return toMemberView(member, access)
}
