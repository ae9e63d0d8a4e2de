import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import type { Warning } from '@atrium/core/platform/warnings'
import { type EnforcedPolicy, mfaRequiredFrom } from '@atrium/core/security-policy/enforcement'
import { canonicalAllowlist } from '@atrium/core/security-policy/ip-allowlist'
import {
  defaultSecurityPolicy,
  idleExceedsAbsolute,
  type PolicyFields,
} from '@atrium/core/security-policy/security-policy'
import type {
  SecurityPolicyRow,
  StoredSecurityPolicy,
} from '@atrium/db/security-policy/security-policy'

/**
 * The policy that results from changing the given fields. A mode that was enforced as `required`
 * before keeps the day from which its days of grace count. Throws AppError `invalid_input` for
 * entries that are no address or network and for an idle limit above the absolute one. `warnings`
 * say what was left out.
 */
export function requestedPolicy(
  row: SecurityPolicyRow | undefined,
  input: PolicyFields,
  now: Date,
): { policy: StoredSecurityPolicy; warnings: Warning[] } {
  const allowlist = canonicalAllowlist(input.ipAllowlist ?? [])
  if ('issues' in allowlist)
    throw new AppError('invalid_input', undefined, { issues: allowlist.issues })
  const stored = row ?? defaultSecurityPolicy
  const mfaMode = input.mfaMode ?? stored.mfaMode
  const since = row?.enforced ? row.mfaRequiredSince : null
  const policy: StoredSecurityPolicy = {
    mfaMode,
    mfaGraceDays: input.mfaGraceDays ?? stored.mfaGraceDays,
    mfaRequiredSince: mfaMode === 'required' ? (since ?? now) : null,
    sessionIdleMinutes:
      input.sessionIdleMinutes === undefined ? stored.sessionIdleMinutes : input.sessionIdleMinutes,
    sessionAbsoluteMinutes:
      input.sessionAbsoluteMinutes === undefined
        ? stored.sessionAbsoluteMinutes
        : input.sessionAbsoluteMinutes,
    allowedCountries: input.allowedCountries
      ? [...new Set(input.allowedCountries)].sort()
      : stored.allowedCountries,
    ipAllowlist: input.ipAllowlist ? allowlist.entries : stored.ipAllowlist,
  }
  if (idleExceedsAbsolute(policy))
    throw new AppError('invalid_input', undefined, { issues: limitIssues(input, policy) })
  return { policy, warnings: allowlist.warnings }
}

export function enforcedPolicyOf(policy: StoredSecurityPolicy): EnforcedPolicy {
  const { sessionAbsoluteMinutes, allowedCountries, ipAllowlist } = policy
  return {
    mfaRequiredFrom: mfaRequiredFrom(policy),
    sessionAbsoluteMinutes,
    allowedCountries,
    ipAllowlist,
  }
}

/** The issue is reported at the given limit; at the idle limit when both were given. */
function limitIssues(input: PolicyFields, requested: StoredSecurityPolicy): IssueText[] {
  const path =
    input.sessionIdleMinutes === undefined ? 'sessionAbsoluteMinutes' : 'sessionIdleMinutes'
  const message = errorText('idleLongerThanSession', {
    sessionIdleMinutes: requested.sessionIdleMinutes ?? 0,
    sessionAbsoluteMinutes: requested.sessionAbsoluteMinutes ?? 0,
  })
  return [{ path, message }]
}
