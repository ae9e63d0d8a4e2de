import { temporaryPasswordExpiry } from '@atrium/core/members/passwords'
import {
  saveTemporaryPassword,
  type TemporaryPasswordTerm,
} from '@atrium/db/users/temporary-passwords'
import type { CallOptions } from '@atrium/integrations/call-options'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Services } from '../rpc/services.ts'

/**
 * Gives an identity a password that another person sees: its own person has to replace it at the
 * first sign-in, and it expires. Recorded first, so that a process that dies in between leaves
 * nothing that does not expire.
 */
export async function setTemporaryPassword(
  services: Services,
  identity: IdentityProvider,
  { idpUserId, userId, password }: { idpUserId: string; userId?: string; password: string },
  options: CallOptions = {},
): Promise<void> {
  const person = userId === undefined ? { idpUserId } : { userId }
  const { expiresAt } = await recordTemporaryPassword(services, person)
  await identity.setPassword({ userId: idpUserId, password, temporary: { expiresAt } }, options)
}

/**
 * Records that the person gets a temporary password now. `settleTemporaryPasswords` follows it to
 * its end, in the mailbox too.
 */
export async function recordTemporaryPassword(
  { database, clock }: Services,
  person: { userId: string } | { idpUserId: string },
): Promise<TemporaryPasswordTerm> {
  const issuedAt = clock.now()
  const term = { issuedAt, expiresAt: temporaryPasswordExpiry(issuedAt) }
  await saveTemporaryPassword(database.db, person, term)
  return term
}
