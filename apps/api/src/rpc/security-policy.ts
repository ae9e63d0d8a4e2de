import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type ErrorCode } from '@atrium/core/platform/errors'
import {
  type EnforcedPolicy,
  rejectionsBy,
  type SignInFacts,
} from '@atrium/core/security-policy/enforcement'
import { type PolicyRejection, policyRejections } from '@atrium/core/security-policy/rejections'
import { isCommandLineToken } from '../platform/token.ts'
import type { Caller, CallerTenant } from './caller.ts'
import type { Context } from './context.ts'
import { visitorAddress } from './visitor-address.ts'

/** The codes that `rejectShutOut` throws. */
export const policyErrors: readonly ErrorCode[] = policyRejections

/**
 * Who is bound by a tenant's security policy: its members, also those who are partner staff or
 * administrators besides. Operators are not, and neither is anyone who acts on the tenant without
 * being a member, under an access grant or by a partner's rights.
 */
export function isBoundByPolicy(
  caller: Pick<Caller, 'operator' | 'onBehalf'>,
  tenant: Pick<CallerTenant, 'role'>,
): boolean {
  return tenant.role !== null && !caller.operator && caller.onBehalf === undefined
}

/**
 * What the policy is checked against: the token's claims and where the request comes from. The
 * address is one that the caller did not choose: see `visitorAddress`. A program has no sign-in:
 * networks and countries bind it, second factors and the age of a sign-in do not.
 */
export function signInFacts(
  ctx: Context,
  { token, service }: Pick<Caller, 'token' | 'service'>,
): SignInFacts {
  const address = visitorAddress(ctx)
  return {
    secondFactor: service !== undefined || token.secondFactor,
    signedInAt: service ? ctx.services.clock.now() : (token.signedInAt ?? null),
    address: address === '' ? null : address,
    country: ctx.request.country,
  }
}

/**
 * Throws the first reason for which the tenant's security policy shuts the caller out: AppError
 * `network_not_allowed`, `country_not_allowed`, `sign_in_too_old` or `mfa_required`.
 */
export function rejectShutOut(ctx: Context, caller: Caller, tenant: CallerTenant): void {
  const rejection = rejectionFor(ctx, caller, tenant)
  if (rejection) throw rejection
}

/** Whether the tenant's security policy shuts the caller out. */
export function isShutOut(ctx: Context, caller: Caller, tenant: BoundTenant): boolean {
  return rejectionFor(ctx, caller, tenant) !== undefined
}

type BoundTenant = Pick<CallerTenant, 'role' | 'policy'>

function rejectionFor(ctx: Context, caller: Caller, tenant: BoundTenant): AppError | undefined {
  const { policy } = tenant
  if (policy === null || !isBoundByPolicy(caller, tenant)) return undefined
  const facts = signInFacts(ctx, caller)
  const [reason] = rejectionsBy(policy, facts, ctx.services.clock.now())
  if (reason === 'mfa_required' && isCommandLineToken(caller.token, ctx.services.config.tokens))
    return new AppError(reason, errorText('secondFactorCommandLine'))
  return reason && rejectionOf(reason, policy, facts)
}

function rejectionOf(
  reason: PolicyRejection,
  { sessionAbsoluteMinutes }: EnforcedPolicy,
  { address, country, signedInAt }: SignInFacts,
): AppError {
  switch (reason) {
    case 'network_not_allowed':
      return new AppError(
        reason,
        address === null
          ? errorText('policyAddressUnknown')
          : errorText('policyAddress', { ip: address }),
      )
    case 'country_not_allowed':
      return new AppError(
        reason,
        country === null
          ? errorText('policyCountryUnknown')
          : errorText('policyCountry', { country }),
      )
    case 'sign_in_too_old':
      return new AppError(
        reason,
        signedInAt === null
          ? errorText('policySignInTimeUnknown')
          : errorText('policySignInTooOld', { minutes: sessionAbsoluteMinutes ?? 0 }),
        { maxAgeSeconds: (sessionAbsoluteMinutes ?? 0) * 60 },
      )
    case 'mfa_required':
      return new AppError(reason)
  }
}
