import { trimEnd } from '@atrium/core/platform/trim'
import type { SsoAppState, SsoAppView } from '@atrium/core/sso/sso'
import type { SsoAppRow } from '@atrium/db/sso/sso'
import type { Services } from '../rpc/services.ts'

/**
 * The record as the tenant's people see it, in the state that the provider was found to have it in.
 */
export function toSsoAppView(services: Services, row: SsoAppRow, state: SsoAppState): SsoAppView {
  const issuer = issuerOf(services, row.slug)
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    state,
    clientId: row.clientId,
    redirectUris: row.redirectUris,
    launchUrl: row.launchUrl,
    issuer,
    discoveryUrl: `${issuer}.well-known/openid-configuration`,
    createdAt: row.createdAt.toISOString(),
  }
}

/**
 * Computed and not read from the provider, so that a list can tell it while the provider is away.
 */
function issuerOf(services: Services, slug: string): string {
  const { identity } = services.config
  const origin = trimEnd(identity?.publicUrl ?? identity?.baseUrl ?? '', /\//)
  return `${origin}/application/o/${slug}/`
}
