import { AppError } from '@atrium/core/errors'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { House } from '../house.ts'

/** The identity provider, or 409 `integration_off` where this installation has none. */
export function requireSsoProvider(house: House): IdentityProvider {
  if (!house.systems.identity) throw new AppError('integration_off')
  return house.systems.identity
}
