import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { EnforcedPolicy, SignInFacts } from '@atrium/core/security-policy/enforcement'
import { lastingRejections, type SignInGroup } from '@atrium/core/security-policy/preview'
import type { PolicyRejection } from '@atrium/core/security-policy/rejections'
import type { UpdateSecurityPolicy } from '@atrium/core/security-policy/security-policy'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { listMemberSignIns, type MemberSignIns } from '@atrium/db/security-policy/sign-ins'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { isBoundByPolicy, signInFacts } from '../rpc/security-policy.ts'

/** The facts of the caller's sign-in; undefined for callers who are not bound by the policy. */
export function ownFacts(ctx: Context, { caller, tenant }: Access): SignInFacts | undefined {
  return isBoundByPolicy(caller, tenant) ? signInFacts(ctx, caller) : undefined
}

/**
 * What speaks against saving a policy: it would shut out the caller, or every admin. Undefined when
 * nothing does. Days of grace do not count: the person who requires a second factor has one. An
 * admin who is bound by the policy and not shut out is the admin that remains.
 */
export async function lockOut(
  db: Db | Trx,
  tenantId: string,
  policy: EnforcedPolicy,
  own: SignInFacts | undefined,
): Promise<AppError | undefined> {
  if (own) {
    const reasons = lastingRejections(policy, own)
    if (reasons.length === 0) return undefined
    const issues = reasons.map((reason) => ({
      path: fieldOf[reason],
      message: ownText(reason, own),
    }))
    return new AppError('policy_locks_out_caller', issues[0]?.message, { issues })
  }
  if (await anAdminCanSignIn(db, tenantId, policy)) return undefined
  return new AppError('policy_locks_out_admins', errorText('adminsShutOut'))
}

async function anAdminCanSignIn(
  db: Db | Trx,
  tenantId: string,
  policy: EnforcedPolicy,
): Promise<boolean> {
  const signIns = await listMemberSignIns(db, tenantId, { roles: ['admin', 'owner'] })
  return signIns.some((row) => {
    const group = toGroup(row)
    // A sign-in at a portal always has a time.
    return group && lastingRejections(policy, { ...group, signedInAt: group.lastAt }).length === 0
  })
}

/** Undefined for a member without sign-ins. */
export function toGroup(row: MemberSignIns): SignInGroup | undefined {
  const { secondFactor, address, country, lastAt } = row
  if (secondFactor === null || lastAt === null) return undefined
  return { secondFactor, address, country, count: Number(row.count), lastAt }
}

const fieldOf: Readonly<Record<PolicyRejection, keyof UpdateSecurityPolicy>> = {
  network_not_allowed: 'ipAllowlist',
  country_not_allowed: 'allowedCountries',
  sign_in_too_old: 'sessionAbsoluteMinutes',
  mfa_required: 'mfaMode',
}

function ownText(reason: PolicyRejection, { address, country }: SignInFacts): ErrorText {
  switch (reason) {
    case 'network_not_allowed':
      return address === null
        ? errorText('ownAddressUnknown')
        : errorText('ownAddressMissing', { ip: address })
    case 'country_not_allowed':
      return country === null
        ? errorText('ownCountryUnknown')
        : errorText('ownCountryMissing', { country })
    case 'sign_in_too_old':
      return errorText('ownSignInTimeUnknown')
    case 'mfa_required':
      return errorText('ownSecondFactorMissing')
  }
}
