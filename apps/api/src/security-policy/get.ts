import {
  defaultSecurityPolicy,
  type SecurityPolicyView,
} from '@atrium/core/security-policy/security-policy'
import {
  findSecurityPolicy,
  type SecurityPolicyRow,
} from '@atrium/db/security-policy/security-policy'
import type { Context } from '../rpc/context.ts'
import { withEditVersion } from '../rpc/edit-version.ts'
import type { Access } from '../rpc/guards.ts'

/** How members may sign in; the platform's default while the tenant has set nothing. */
export async function getSecurityPolicy(
  { services }: Context,
  { tenant }: Access,
): Promise<SecurityPolicyView> {
  return toSecurityPolicy(await findSecurityPolicy(services.database.db, tenant.id))
}

export function toSecurityPolicy(row: SecurityPolicyRow | undefined): SecurityPolicyView {
  const policy = row ? { ...row, updatedAt: row.updatedAt.toISOString() } : defaultSecurityPolicy
  const { mfaMode, sessionIdleMinutes, sessionAbsoluteMinutes, allowedCountries, ipAllowlist } =
    policy
  return withEditVersion(policy, [
    mfaMode,
    sessionIdleMinutes,
    sessionAbsoluteMinutes,
    allowedCountries,
    ipAllowlist,
  ])
}
