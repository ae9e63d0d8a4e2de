/**
 * Why a policy rejects a request; these are error codes too. In the order in which they are
 * reported: another sign-in does not help against the first two.
 */
export const policyRejections = [
  'network_not_allowed',
  'country_not_allowed',
  'sign_in_too_old',
  'mfa_required',
] as const
export type PolicyRejection = (typeof policyRejections)[number]
