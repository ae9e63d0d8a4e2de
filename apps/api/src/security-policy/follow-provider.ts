import { mfaRequiredFrom } from '@atrium/core/security-policy/enforcement'
import {
  claimPoliciesForProvider,
  completePolicyAtProvider,
  type PolicyForProvider,
  postponePolicyAtProvider,
} from '@atrium/db/security-policy/security-policy'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { retryDelaySeconds } from '../platform/retry-delay.ts'
import type { Services } from '../rpc/services.ts'

/** Those that are taken at a time, and worked on side by side. */
const atOnce = 5
/** No more are taken after this: the sweep that does it has a minute. */
const mostMs = 40_000
const firstRetrySeconds = 30
/** How long a policy waits for the tenant's group before its provisioning has made it. */
const groupSeconds = 60

/** The attribute of a tenant's group that policies of the identity provider read. */
export const policyAttribute = 'atrium_policy'

/**
 * Writes changed security policies to the groups of their tenants at the identity provider, whose
 * own policies apply them to sign-ins everywhere. Failures are retried and stay visible in the
 * policy. `tenantId`: only this one.
 */
export async function followSecurityPolicies(services: Services, tenantId?: string): Promise<void> {
  const { identity } = services.systems
  if (!identity) return
  const endAt = performance.now() + mostMs
  while (performance.now() < endAt) {
    const due = await claimPoliciesForProvider(services.database.db, atOnce, tenantId)
    if (due.length === 0) return
    await Promise.all(due.map((policy) => writePolicy(services, identity, policy)))
  }
}

async function writePolicy(
  services: Services,
  identity: IdentityProvider,
  policy: PolicyForProvider,
): Promise<void> {
  const { db } = services.database
  const { groupId, attempts } = policy
  // Not a failure: the tenant's provisioning makes the group and has its own state.
  if (groupId === null) return postponePolicyAtProvider(db, policy, groupSeconds, null)
  try {
    await identity.setGroupAttributes({
      groupId,
      attributes: { [policyAttribute]: attributeOf(policy) },
    })
    await completePolicyAtProvider(db, policy)
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    services.log.warn(
      { err, tenant: policy.slug },
      'failed to write security policy to the identity provider',
    )
    await postponePolicyAtProvider(
      db,
      policy,
      retryDelaySeconds(attempts, firstRetrySeconds),
      err.message,
    )
  }
}

/** The form that the policies of the identity provider read; see deploy/authentik. */
function attributeOf(policy: PolicyForProvider) {
  return {
    mfa_required_from: mfaRequiredFrom(policy)?.toISOString() ?? null,
    networks: policy.ipAllowlist,
    countries: policy.allowedCountries,
  }
}
