import { randomBytes } from 'node:crypto'
import type { Services } from '../rpc/services.ts'
import { rotateKeys } from '../scheduling/calendars/rotate-keys.ts'
import { recordCommand } from './command-audit.ts'

/** A new key in the form of `ENCRYPTION_KEYS`; its id is the day. */
export function newKey(now: Date): string {
  return `key-${now.toISOString().slice(0, 10)}:${randomBytes(32).toString('base64')}`
}

/**
 * Encrypts everything stored with the first key of `ENCRYPTION_KEYS` and records it. Undefined
 * where no keys are set.
 */
export async function encryptWithFirstKey(
  services: Services,
): Promise<{ renewed: number; unreadable: number } | undefined> {
  if (!services.config.keyring) return undefined
  const counts = await rotateKeys(services)
  await recordCommand(services, {
    action: 'platform.keys_rotated',
    outcome: counts.unreadable === 0 ? 'success' : 'failure',
    resourceType: 'platform',
    metadata: counts,
  })
  return counts
}
