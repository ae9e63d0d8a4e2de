import { AppError } from '@atrium/core/platform/errors'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Services } from '../rpc/services.ts'

/** The identity provider, or 409 `integration_off` where this installation has none. */
export function requireSsoProvider(services: Services): IdentityProvider {
  if (!services.systems.identity) throw new AppError('integration_off')
  return services.systems.identity
}
