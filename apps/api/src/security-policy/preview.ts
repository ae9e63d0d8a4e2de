import { effectOf, type SignInGroup, signInDays } from '@atrium/core/security-policy/preview'
import {
  type AffectedMember,
  mostAffected,
  type PreviewSecurityPolicy,
  type SecurityPolicyPreview,
} from '@atrium/core/security-policy/security-policy'
import { findSecurityPolicy } from '@atrium/db/security-policy/security-policy'
import { listMemberSignIns, type MemberSignIns } from '@atrium/db/security-policy/sign-ins'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOut, ownFacts, toGroup } from './lock-out.ts'
import { enforcedPolicyOf, requestedPolicy } from './requested.ts'

/**
 * Whom the policy would affect that results from the given changes, by the sign-ins of members at
 * the customer portal in the last 30 days; and whether it could be saved. Changes nothing. Throws
 * AppError `invalid_input` as saving does.
 */
export async function previewSecurityPolicy(
  ctx: Context,
  access: Access,
  input: PreviewSecurityPolicy,
): Promise<SecurityPolicyPreview> {
  const { services, request } = ctx
  const { db } = services.database
  const row = await findSecurityPolicy(db, access.tenant.id)
  const { policy } = requestedPolicy(row, input, services.clock.now())
  const enforced = enforcedPolicyOf(policy)
  const members = membersOf(await listMemberSignIns(db, access.tenant.id))
  const affected = members.flatMap(({ member, groups }): AffectedMember[] => {
    const { reasons, signIns, rejected, last } = effectOf(enforced, groups)
    if (!last) return []
    const { userId, name, email, role } = member
    return [
      {
        userId,
        name,
        email,
        role,
        reasons,
        signIns,
        rejected,
        last: {
          at: last.lastAt.toISOString(),
          address: last.address,
          country: last.country,
          secondFactor: last.secondFactor,
        },
      },
    ]
  })
  const objection = await lockOut(db, access.tenant.id, enforced, ownFacts(ctx, access))
  return {
    days: signInDays,
    members: members.length,
    withoutSignIns: members.filter(({ groups }) => groups.length === 0).length,
    affected: affected.length,
    shutOut: affected.filter(({ signIns, rejected }) => signIns === rejected).length,
    // Those who are shut out first.
    items: affected
      .toSorted((one, other) => other.rejected / other.signIns - one.rejected / one.signIns)
      .slice(0, mostAffected),
    mfaRequiredFrom: enforced.mfaRequiredFrom?.toISOString() ?? null,
    objection: objection
      ? { code: objection.code, message: objection.messageIn(request.language) }
      : null,
  }
}

/** One entry per member; the rows come sorted by member. */
function membersOf(rows: readonly MemberSignIns[]) {
  const members: { member: MemberSignIns; groups: SignInGroup[] }[] = []
  for (const row of rows) {
    const before = members.at(-1)
    const entry = before?.member.userId === row.userId ? before : { member: row, groups: [] }
    if (entry !== before) members.push(entry)
    const group = toGroup(row)
    if (group) entry.groups.push(group)
  }
  return members
}
