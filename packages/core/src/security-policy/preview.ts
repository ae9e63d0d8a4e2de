import { type EnforcedPolicy, rejectionsBy, type SignInFacts } from './enforcement.ts'
import { type PolicyRejection, policyRejections } from './rejections.ts'

/** Days of sign-ins that a preview looks at; older ones are deleted. */
export const signInDays = 30

/** Sign-ins of one person under the same circumstances. */
export interface SignInGroup extends Pick<SignInFacts, 'secondFactor' | 'address' | 'country'> {
  count: number
  lastAt: Date
}

/** What a policy would have meant for the sign-ins of one person. */
export interface PolicyEffect {
  /** Why sign-ins would have been rejected; empty when none would. */
  reasons: PolicyRejection[]
  signIns: number
  rejected: number
  /** The last sign-in that would have been rejected. */
  last: SignInGroup | undefined
}

/**
 * What a policy would have meant for these sign-ins, once a second factor that it requires is
 * required. The age of a sign-in is left out: signing in again is all that a limit asks for.
 */
export function effectOf(policy: EnforcedPolicy, groups: readonly SignInGroup[]): PolicyEffect {
  const { eventually, at } = onceRequired(policy)
  const reasons = new Set<PolicyRejection>()
  let signIns = 0
  let rejected = 0
  let last: SignInGroup | undefined
  for (const group of groups) {
    signIns += group.count
    const found = rejectionsBy(eventually, { ...group, signedInAt: null }, at)
    if (found.length === 0) continue
    for (const reason of found) reasons.add(reason)
    rejected += group.count
    if (last === undefined || group.lastAt > last.lastAt) last = group
  }
  return {
    reasons: policyRejections.filter((reason) => reasons.has(reason)),
    signIns,
    rejected,
    last,
  }
}

/**
 * Why a policy would shut this person out for good once a second factor that it requires is
 * required: signing in again in the same way would not help.
 */
export function lastingRejections(policy: EnforcedPolicy, facts: SignInFacts): PolicyRejection[] {
  const { eventually, at } = onceRequired(policy)
  const unknowable = policy.sessionAbsoluteMinutes !== null && facts.signedInAt === null
  return [
    ...rejectionsBy(eventually, facts, at),
    ...(unknowable ? (['sign_in_too_old'] as const) : []),
  ]
}

function onceRequired(policy: EnforcedPolicy): { eventually: EnforcedPolicy; at: Date } {
  return {
    eventually: { ...policy, sessionAbsoluteMinutes: null },
    at: policy.mfaRequiredFrom ?? new Date(0),
  }
}
