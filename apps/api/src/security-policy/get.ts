import { mfaRequiredFrom } from '@atrium/core/security-policy/enforcement'
import {
  defaultSecurityPolicy,
  type PolicyAtProvider,
  type SecurityPolicy,
  type SecurityPolicyView,
} from '@atrium/core/security-policy/security-policy'
import {
  findSecurityPolicy,
  type SecurityPolicyRow,
} from '@atrium/db/security-policy/security-policy'
import type { Context } from '../rpc/context.ts'
import { withEditVersion } from '../rpc/edit-version.ts'
import { type Access, isPlainMember } from '../rpc/guards.ts'

/** How members may sign in; the platform's default while the tenant has set nothing. */
export async function getSecurityPolicy(
  { services }: Context,
  { caller, tenant }: Access,
): Promise<SecurityPolicyView> {
  const view = toSecurityPolicy(
    await findSecurityPolicy(services.database.db, tenant.id),
    services.systems.identity !== undefined,
  )
  return isPlainMember(caller, tenant)
    ? { ...view, atProvider: { ...view.atProvider, error: null } }
    : view
}

/** `hasProvider`: an identity provider is connected, which gets the policy. */
export function toSecurityPolicy(
  row: SecurityPolicyRow | undefined,
  hasProvider: boolean,
): SecurityPolicyView {
  const policy: SecurityPolicy = row
    ? {
        mfaMode: row.mfaMode,
        mfaGraceDays: row.mfaGraceDays,
        mfaRequiredFrom: row.enforced ? (mfaRequiredFrom(row)?.toISOString() ?? null) : null,
        sessionIdleMinutes: row.sessionIdleMinutes,
        sessionAbsoluteMinutes: row.sessionAbsoluteMinutes,
        allowedCountries: row.allowedCountries,
        ipAllowlist: row.ipAllowlist,
        enforced: row.enforced,
        updatedAt: row.updatedAt.toISOString(),
      }
    : defaultSecurityPolicy
  return withEditVersion({ ...policy, atProvider: atProvider(row, hasProvider) }, [
    policy.mfaMode,
    policy.mfaGraceDays,
    policy.sessionIdleMinutes,
    policy.sessionAbsoluteMinutes,
    policy.allowedCountries,
    policy.ipAllowlist,
    policy.enforced,
  ])
}

function atProvider(row: SecurityPolicyRow | undefined, hasProvider: boolean): PolicyAtProvider {
  if (!hasProvider || !row?.enforced) return { state: 'off', error: null }
  if (!row.providerPending) return { state: 'ok', error: null }
  return { state: row.providerError === null ? 'pending' : 'error', error: row.providerError }
}
