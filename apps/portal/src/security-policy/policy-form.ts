import {
  type MfaMode,
  type SecurityPolicy,
  type SecurityPolicyView,
  UpdateSecurityPolicy,
} from '@atrium/core/security-policy/security-policy'
import { formatMinutes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { z } from 'zod'

const t = translations('portal.security-policy')

/** The form as it is typed. An empty number field holds an empty text and sets no limit. */
export interface PolicyFormValues {
  mfaMode: MfaMode
  mfaGraceDays: number | string
  sessionIdleMinutes: number | string
  sessionAbsoluteMinutes: number | string
  allowedCountries: string[]
  ipAllowlist: string[]
}

const {
  mfaMode,
  mfaGraceDays,
  sessionIdleMinutes,
  sessionAbsoluteMinutes,
  allowedCountries,
  ipAllowlist,
} = UpdateSecurityPolicy.shape

/** What the form is checked against: the API's own rules. */
export const PolicyForm = z
  .object({
    mfaMode,
    mfaGraceDays,
    sessionIdleMinutes,
    sessionAbsoluteMinutes,
    allowedCountries,
    ipAllowlist,
  })
  .refine(
    ({ sessionIdleMinutes: idle, sessionAbsoluteMinutes: absolute }) =>
      typeof idle !== 'number' || typeof absolute !== 'number' || idle <= absolute,
    {
      path: ['sessionIdleMinutes'],
      error: () => t('sessions.idleTooLong'),
    },
  )

export function fromPolicy(policy: SecurityPolicy): PolicyFormValues {
  return {
    mfaMode: policy.mfaMode,
    mfaGraceDays: policy.mfaGraceDays,
    sessionIdleMinutes: policy.sessionIdleMinutes ?? '',
    sessionAbsoluteMinutes: policy.sessionAbsoluteMinutes ?? '',
    allowedCountries: policy.allowedCountries,
    ipAllowlist: policy.ipAllowlist,
  }
}

const minutes = (value: number | string) => (value === '' ? null : Number(value))
const differ = (one: readonly string[], other: readonly string[]) =>
  [...one].sort().join() !== [...other].sort().join()

/**
 * The changes alone, so that the audit log names what was changed; undefined when nothing was. A
 * policy that is not enforced yet is sent unchanged too: saving it enforces it.
 */
export function changesOf(
  slug: string,
  before: SecurityPolicyView,
  values: PolicyFormValues,
): UpdateSecurityPolicy | undefined {
  const idle = minutes(values.sessionIdleMinutes)
  const absolute = minutes(values.sessionAbsoluteMinutes)
  const grace = Number(values.mfaGraceDays)
  const changes = {
    ...(values.mfaMode === before.mfaMode && before.enforced ? {} : { mfaMode: values.mfaMode }),
    ...(grace === before.mfaGraceDays ? {} : { mfaGraceDays: grace }),
    ...(idle === before.sessionIdleMinutes ? {} : { sessionIdleMinutes: idle }),
    ...(absolute === before.sessionAbsoluteMinutes ? {} : { sessionAbsoluteMinutes: absolute }),
    ...(differ(values.allowedCountries, before.allowedCountries)
      ? { allowedCountries: values.allowedCountries }
      : {}),
    ...(differ(values.ipAllowlist, before.ipAllowlist) ? { ipAllowlist: values.ipAllowlist } : {}),
  }
  return Object.keys(changes).length > 0
    ? { slug, ...changes, expectedVersion: before.editVersion }
    : undefined
}

/**
 * The whole of a policy as a change, to put it back in the place of the one at `expectedVersion`.
 */
export function putBack(
  slug: string,
  policy: SecurityPolicyView,
  expectedVersion: string,
): UpdateSecurityPolicy {
  return {
    slug,
    mfaMode: policy.mfaMode,
    mfaGraceDays: policy.mfaGraceDays,
    sessionIdleMinutes: policy.sessionIdleMinutes,
    sessionAbsoluteMinutes: policy.sessionAbsoluteMinutes,
    allowedCountries: policy.allowedCountries,
    ipAllowlist: policy.ipAllowlist,
    expectedVersion,
  }
}

/** The typed minutes as a duration (`formatMinutes`). Empty for what is no number of minutes. */
export function minutesText(value: number | string): string {
  const total = Number(value)
  if (value === '' || !Number.isInteger(total) || total <= 0) return ''
  return formatMinutes(total)
}
