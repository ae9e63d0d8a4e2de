import { randomBytes } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Keyring } from '@atrium/db/platform/encryption'
import { endpointSecretContext } from '../platform/endpoint-secret-context.ts'
import type { Services } from '../rpc/services.ts'

/** A new secret of 256 random bits, as libraries of Standard Webhooks read it. */
export const newEndpointSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Throws AppError `integration_off` where no secret can be stored. */
export function keyringOf({ config }: Pick<Services, 'config'>): Keyring {
  if (!config.keyring) throw new AppError('integration_off', errorText('noEncryptionKeys'))
  return config.keyring
}

/** The secrets that a delivery is signed with at a moment, the newest first. */
export function secretsOf(
  keyring: Keyring,
  endpoint: {
    id: string
    secret: Buffer
    previousSecret: Buffer | null
    previousEndsAt: Date | null
  },
  now: Date,
): string[] {
  const context = endpointSecretContext(endpoint.id)
  const { secret, previousSecret, previousEndsAt } = endpoint
  const both =
    previousSecret && previousEndsAt && previousEndsAt > now ? [secret, previousSecret] : [secret]
  return both.map((sealed) => keyring.decrypt(sealed, context))
}
