import { AppError } from '@atrium/core/platform/errors'
import type { TouchedList } from '@atrium/db/mail/lists'
import { findMember } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { listsInAudit, pushTouchedLists } from '../mail/lists/members.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import {
  beginMemberChange,
  type ClaimedMember,
  isSelf,
  type MemberChange,
  outcomeOf,
  recordMember,
  rejectLastAdmin,
} from './change-member.ts'
import { leaveTenant } from './leave.ts'
import { noSuchMember } from './list.ts'
import { runMember } from './run.ts'

/**
 * Removes a member: mailbox, file account and identity, then the record. A person who is also in
 * another tenant, is an operator or partner staff, or whose sign-in another tenant created, loses
 * only this membership and its mailbox. Access here ends immediately, and no earlier token restores
 * it; until every system has followed, the member is shown as `removing`. Their addresses leave the
 * tenant's distribution lists, and the audit entry names the lists and those left empty. `check`
 * may reject the removal under the locks of tenant and member. Throws AppError `owner_removal`, `self_removal`, `last_admin`.
 */
export async function removeMember(
  ctx: Context,
  access: Access,
  userId: string,
  check?: (trx: Trx) => Promise<void>,
): Promise<void> {
  // What is left of a deleted tenant is the operators'.
  const even = access.caller.operator ? ([...evenSuspended, 'deleted'] as const) : evenSuspended
  const decide = async (facts: MemberChange) => {
    await check?.(facts.trx)
    return remove(facts)
  }
  const change = await beginMemberChange(ctx, access, userId, decide, even)
  await endMembership(ctx, access, 'member.removed', change)
}

/**
 * Ends the caller's own membership, with the same consequences as a removal by an admin. Throws
 * AppError `not_found` for callers who are no members, `owner_removal`, `last_admin`.
 */
export async function leaveWorkplace(ctx: Context, access: Access): Promise<void> {
  const { id } = access.caller
  if (id === undefined) throw noSuchMember()
  const change = await beginMemberChange(ctx, access, id, leave, evenSuspended, 'member')
  await endMembership(ctx, access, 'member.left', change)
}

async function endMembership(
  ctx: Context,
  access: Access,
  action: 'member.removed' | 'member.left',
  { tenant, member, work, decided: lists }: ClaimedMember<TouchedList[]>,
): Promise<void> {
  const { services } = ctx
  pushTouchedLists(services, lists)
  await runMember(services, work)
  const left = await findMember(services.database.db, tenant.id, member.id)
  await recordMember(ctx, access, tenant, {
    action,
    member,
    metadata: {
      role: member.role,
      mailbox: member.mailboxAddress,
      identity: work.managed && !work.neededElsewhere ? 'deleted' : 'kept',
      complete: !left || outcomeOf(left) === 'success',
      ...listsInAudit(lists),
    },
  })
}

async function remove(facts: MemberChange): Promise<TouchedList[]> {
  if (facts.member.role === 'owner') throw new AppError('owner_removal')
  if (isSelf(facts)) throw new AppError('self_removal')
  return leave(facts)
}

async function leave(facts: MemberChange): Promise<TouchedList[]> {
  const { trx, tenant, member } = facts
  if (member.role === 'owner') throw new AppError('owner_removal')
  // A removal that is under way is carried on.
  if (member.membershipStatus === 'removing') return []
  await rejectLastAdmin(facts)
  return leaveTenant(trx, tenant.id, member)
}
