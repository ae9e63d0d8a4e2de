import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Config } from '../platform/config.ts'
import type { Services } from '../rpc/services.ts'

/** The name that the group of a new tenant gets at the identity provider. */
export function groupNameFor(
  { tenantGroupPrefix }: Pick<Config, 'tenantGroupPrefix'>,
  slug: string,
): string {
  return tenantGroupPrefix + slug
}

/**
 * Provisioning rejects a foreign group too, later and in the tenant's record: a creation does not
 * wait for a slow provider.
 */
const deadlineMs = 700

/**
 * True when the identity provider has a group with the name that a tenant of this slug would get,
 * and it is not marked as this tenant's: its creator grants access with it. False when the provider
 * cannot be reached in time.
 */
export async function hasForeignGroup(
  services: Services,
  identity: IdentityProvider,
  slug: string,
): Promise<boolean> {
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const found = await identity.findGroup(groupNameFor(services.config, slug), { signal })
    return found !== undefined && found.attributes.tenant !== slug
  } catch (error) {
    if (error instanceof UpstreamError || signal.aborted) return false
    throw error
  }
}
