import type { CreatedMember } from '@atrium/core/members'
import { findMember, type MemberRow } from '@atrium/db/members'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { beginAct, outcomeOf, recordMember } from './act.ts'
import { createOneTimePassword } from './one-time-password.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Does at once what outside systems left undone for a member, without waiting for the job engine. A password is answered when this made
 * something that needs one. A removal that ends here answers the member as it was.
 */
export async function retryMember(ctx: Context, access: Access, userId: string): Promise<CreatedMember> {
  const { house } = ctx
  const password = createOneTimePassword()
  const { tenant, member: before, work } = await beginAct(ctx, access, userId, () => undefined)
  await runMember(house, work, { password })
  const after = await findMember(house.database.db, tenant.id, userId)
  const member = after ?? gone(before)
  await recordMember(ctx, access, tenant, {
    action: 'member.retried',
    outcome: outcomeOf(member),
    member,
    metadata: { outcomes: { identity: member.identityState, mail: member.mailState, files: member.filesState }, removed: !after },
  })
  return { member: toMemberView(member, access), oneTimePassword: password.shown() }
}

function gone(row: MemberRow): MemberRow {
  const done = { identityState: 'ok', mailState: 'ok', filesState: 'ok' } as const
  return { ...row, ...done, identityError: null, mailError: null, filesError: null }
}
