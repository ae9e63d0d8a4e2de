import type { CreatedMember } from '@atrium/core/members/members'
import { provisioningSteps } from '@atrium/core/tenants/tenants'
import { saveMemberFacts } from '@atrium/db/members/member-work'
import { changeMembership, findMember, type MemberRow } from '@atrium/db/members/members'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { beginMemberChange, type MemberChange, outcomeOf, recordMember } from './change-member.ts'
import { createOneTimePassword } from './one-time-password.ts'
import { runMember } from './run.ts'
import { endsWithMembership } from './step.ts'
import { toMemberView } from './view.ts'

/**
 * Syncs every upstream system with a member's record, without waiting for the job engine:
 * unfinished steps, finished ones that may have been undone there since, and skipped ones (a system
 * may have been connected since; the tenant's creator and people who joined by its group only got
 * the membership). Returns a password when something that needs one was created; in an unfinished
 * creation identity and mailbox then get it both, also the one that has another. A removal that
 * ends here returns the member as it was.
 */
export async function retryMember(
  ctx: Context,
  access: Access,
  userId: string,
): Promise<CreatedMember> {
  const { services } = ctx
  const password = createOneTimePassword()
  const { tenant, member: before, work } = await beginMemberChange(ctx, access, userId, redoAll)
  const renewsPassword = lacksPassword(before) && endsWithMembership(work)
  // Until both systems have the new one, no known password opens both.
  if (renewsPassword) await saveMemberFacts(services.database.db, work, { needs_password: true })
  await runMember(services, work, { password, renewsPassword })
  const after = await findMember(services.database.db, tenant.id, userId)
  const member = after ?? gone(before)
  await recordMember(ctx, access, tenant, {
    action: 'member.retried',
    outcome: outcomeOf(member),
    member,
    metadata: {
      outcomes: {
        identity: member.identityState,
        mail: member.mailState,
        files: member.filesState,
      },
      removed: !after,
    },
  })
  return { member: toMemberView(member, access), oneTimePassword: password.shown() }
}

async function redoAll({ trx, tenant, member }: MemberChange): Promise<void> {
  if (member.membershipStatus !== 'active' && member.membershipStatus !== 'provisioning') return
  await changeMembership(trx, tenant.id, member.id, {}, provisioningSteps)
}

/** The creation did not get as far as one password for identity and mailbox that is known. */
function lacksPassword(member: MemberRow): boolean {
  const { membershipStatus, ownAddress, identityState, mailState, needsPassword } = member
  if (membershipStatus !== 'provisioning' || !ownAddress) return false
  return identityState === 'error' || mailState === 'error' || needsPassword
}

function gone(row: MemberRow): MemberRow {
  const done = { identityState: 'ok', mailState: 'ok', filesState: 'ok' } as const
  return { ...row, ...done, identityError: null, mailError: null, filesError: null }
}
