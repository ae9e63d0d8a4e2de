import { allowlistAdmits } from './ip-allowlist.ts'
import { type PolicyRejection, policyRejections } from './rejections.ts'
import type { MfaMode } from './security-policy.ts'

/** What is known of the sign-in and the request that a policy is checked against. */
export interface SignInFacts {
  /** The person proved a second factor in this sign-in (`mfa` in `amr`, RFC 8176). */
  secondFactor: boolean
  /** When the person last proved who they are; null when the identity provider does not tell. */
  signedInAt: Date | null
  /** The network address; null when it is unknown. */
  address: string | null
  /** ISO 3166-1 alpha-2; null when it is unknown. */
  country: string | null
}

/** The part of a policy that decides about a request. */
export interface EnforcedPolicy {
  /** From when on a second factor is required; null for never. */
  mfaRequiredFrom: Date | null
  sessionAbsoluteMinutes: number | null
  /** Empty: every country. */
  allowedCountries: readonly string[]
  /** Empty: every address. */
  ipAllowlist: readonly string[]
}

/**
 * Every reason why the policy rejects a request with these facts at this instant; empty when it is
 * allowed. What is unknown is rejected where the policy restricts it.
 */
export function rejectionsBy(
  policy: EnforcedPolicy,
  facts: SignInFacts,
  at: Date,
): PolicyRejection[] {
  const { mfaRequiredFrom, sessionAbsoluteMinutes, allowedCountries, ipAllowlist } = policy
  const rejected: Readonly<Record<PolicyRejection, boolean>> = {
    network_not_allowed:
      ipAllowlist.length > 0 &&
      (facts.address === null || !allowlistAdmits(ipAllowlist, facts.address)),
    country_not_allowed:
      allowedCountries.length > 0 &&
      (facts.country === null || !allowedCountries.includes(facts.country)),
    sign_in_too_old:
      sessionAbsoluteMinutes !== null &&
      (facts.signedInAt === null ||
        at.getTime() - facts.signedInAt.getTime() > sessionAbsoluteMinutes * 60_000),
    mfa_required: mfaRequiredFrom !== null && at >= mfaRequiredFrom && !facts.secondFactor,
  }
  return policyRejections.filter((reason) => rejected[reason])
}

/** From when on a policy requires a second factor; null for never. */
export function mfaRequiredFrom({
  mfaMode,
  mfaRequiredSince,
  mfaGraceDays,
}: {
  mfaMode: MfaMode
  mfaRequiredSince: Date | null
  mfaGraceDays: number
}): Date | null {
  if (mfaMode !== 'required' || mfaRequiredSince === null) return null
  return new Date(mfaRequiredSince.getTime() + mfaGraceDays * 86_400_000)
}
