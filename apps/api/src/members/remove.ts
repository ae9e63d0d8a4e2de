import { AppError } from '@atrium/core/platform/errors'
import type { TouchedList } from '@atrium/db/mail/lists'
import { findMember } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { listsInAudit, pushTouchedLists } from '../mail/lists/members.ts'
import type { PreparedEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import type { TransactionContext } from '../rpc/services.ts'
import {
  beginMemberChange,
  type ClaimedMember,
  completeness,
  isSelf,
  type MemberChange,
  prepareMemberEntry,
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
 * may reject the removal under the locks of tenant and member. Throws AppError `owner_removal`,
 * `self_removal`, `last_admin`.
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
    return prepareEnd(ctx, facts, 'member.removed', await remove(facts))
  }
  await endMembership(ctx, await beginMemberChange(ctx, access, userId, decide, even))
}

/**
 * Ends the caller's own membership, with the same consequences as a removal by an admin. Throws
 * AppError `not_found` for callers who are no members, `owner_removal`, `last_admin`.
 */
export async function leaveWorkplace(ctx: Context, access: Access): Promise<void> {
  const { id } = access.caller
  if (id === undefined) throw noSuchMember()
  const decide = async (facts: MemberChange) =>
    prepareEnd(ctx, facts, 'member.left', await leave(facts))
  await endMembership(
    ctx,
    await beginMemberChange(ctx, access, id, decide, evenSuspended, 'member'),
  )
}

interface End {
  lists: TouchedList[]
  prepared: PreparedEntry
}

async function prepareEnd(
  ctx: TransactionContext,
  facts: MemberChange,
  action: 'member.removed' | 'member.left',
  lists: TouchedList[],
): Promise<End> {
  const { member } = facts
  const { role, mailboxAddress } = member
  const metadata = { role, mailbox: mailboxAddress, ...listsInAudit(lists) }
  return { lists, prepared: await prepareMemberEntry(ctx, facts, { action, member, metadata }) }
}

async function endMembership(
  { services }: Context,
  { tenant, member, work, decided: { lists, prepared } }: ClaimedMember<End>,
): Promise<void> {
  pushTouchedLists(services, lists)
  await runMember(services, work)
  const left = await findMember(services.database.db, tenant.id, member.id)
  const identity = work.managed && !work.neededElsewhere ? 'deleted' : 'kept'
  await services.audit.complete(prepared, { metadata: { identity, ...completeness(left) } })
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
