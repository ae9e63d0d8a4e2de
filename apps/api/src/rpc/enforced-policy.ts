import type { EnforcedPolicy } from '@atrium/core/security-policy/enforcement'
import type { EnforcedPolicyFields } from '@atrium/db/users/callers'

/** A tenant's security policy as the guards check it; null where none is enforced. */
export function toEnforcedPolicy(fields: EnforcedPolicyFields | null): EnforcedPolicy | null {
  if (fields === null) return null
  const { mfaRequiredFrom } = fields
  return {
    ...fields,
    mfaRequiredFrom: mfaRequiredFrom === null ? null : new Date(mfaRequiredFrom),
  }
}
