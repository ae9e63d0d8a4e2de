import type { CreatedMember } from '@atrium/core/members'
import { provisioningSteps } from '@atrium/core/tenants'
import { changeMembership, findMember, type MemberRow } from '@atrium/db/members'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { beginAct, type Facts, outcomeOf, recordMember } from './act.ts'
import { sendInvitationAgain } from './invitation.ts'
import { createOneTimePassword } from './one-time-password.ts'
import { runMember } from './run.ts'
import { toMemberView } from './view.ts'

/**
 * Brings every outside system to what is on record of a member, without waiting for the job engine: what was left undone, what was done
 * and may have been lost there since, and what was skipped: a system may have been connected since, and whoever created the tenant or
 * came by its group was given nothing but the membership. A password is returned when this made something that needs one. An open
 * invitation is sent again. A removal that ends here returns the member as it was.
 */
export async function retryMember(ctx: Context, access: Access, userId: string): Promise<CreatedMember> {
  const { house } = ctx
  const password = createOneTimePassword()
  const { tenant, member: before, work } = await beginAct(ctx, access, userId, redoAll)
  await runMember(house, work, { password })
  if (before.invited && before.membershipStatus === 'provisioning')
    await sendInvitationAgain(house, tenant.id, before, access.caller.name ?? access.caller.email ?? tenant.slug)
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

async function redoAll({ trx, tenant, member }: Facts): Promise<void> {
  if (member.membershipStatus !== 'active' && member.membershipStatus !== 'provisioning') return
  await changeMembership(trx, tenant.id, member.id, {}, provisioningSteps)
}

function gone(row: MemberRow): MemberRow {
  const done = { identityState: 'ok', mailState: 'ok', filesState: 'ok' } as const
  return { ...row, ...done, identityError: null, mailError: null, filesError: null }
}
