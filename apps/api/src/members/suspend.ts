import type { MemberView } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { provisioningSteps, type TenantStatus } from '@atrium/core/tenants/tenants'
import { changeMembership } from '@atrium/db/members/members'
import type { PreparedEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import type { TransactionContext } from '../rpc/services.ts'
import {
  beginMemberChange,
  completeness,
  isSelf,
  type MemberChange,
  prepareMemberEntry,
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
  return turn(ctx, access, userId, 'member.suspended', decideSuspension, evenSuspended)
}

/** Writes the suspension. Throws AppError as `suspendMember`. */
export async function decideSuspension(facts: MemberChange): Promise<void> {
  const { trx, tenant, member } = facts
  if (isSelf(facts)) throw new AppError('self_suspend')
  if (member.role === 'owner') throw new AppError('owner_locked', errorText('ownerSuspend'))
  if (member.membershipStatus === 'suspended') throw new AppError('already_suspended')
  if (member.membershipStatus === 'removing')
    throw new AppError('member_not_active', errorText('memberBeingRemoved'))
  await rejectLastAdmin(facts)
  await changeMembership(trx, tenant.id, member.id, { status: 'suspended' }, provisioningSteps)
}

/**
 * Restores access: identity active, mailbox with its previous permissions and password.
 * Throws AppError `not_suspended`.
 */
export function resumeMember(ctx: Context, access: Access, userId: string): Promise<MemberView> {
  return turn(ctx, access, userId, 'member.resumed', decideResumption)
}

/** Writes the end of the suspension. Throws AppError as `resumeMember`. */
export async function decideResumption({ trx, tenant, member }: MemberChange): Promise<void> {
  if (member.membershipStatus !== 'suspended') throw new AppError('not_suspended')
  await changeMembership(
    trx,
    tenant.id,
    member.id,
    { status: 'active', identity_changed_at: 'now' },
    provisioningSteps,
  )
}

type TurnAction = 'member.suspended' | 'member.resumed'

async function turn(
  ctx: Context,
  access: Access,
  userId: string,
  action: TurnAction,
  decide: (facts: MemberChange) => Promise<void>,
  even: readonly TenantStatus[] = [],
): Promise<MemberView> {
  const decideAndPrepare = async (facts: MemberChange) => {
    await decide(facts)
    return prepareTurn(ctx, facts, action)
  }
  const { work, decided } = await beginMemberChange(ctx, access, userId, decideAndPrepare, even)
  await runMember(ctx.services, work)
  const member = await readMember(ctx.services, access, userId)
  await ctx.services.audit.complete(decided, { metadata: completeness(member) })
  return toMemberView(member, access)
}

/** Prepares the entry of a suspension or its end. */
export function prepareTurn(
  ctx: TransactionContext,
  facts: MemberChange,
  action: TurnAction,
): Promise<PreparedEntry> {
  const { member } = facts
  const status = action === 'member.suspended' ? 'suspended' : 'active'
  return prepareMemberEntry(ctx, facts, {
    action,
    member,
    metadata: { changes: { status: [member.membershipStatus, status] } },
  })
}
