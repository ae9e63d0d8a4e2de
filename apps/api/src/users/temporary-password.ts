import { temporaryPasswordExpiry } from '@atrium/core/members/passwords'
import { saveTemporaryPassword } from '@atrium/db/users/temporary-passwords'
import type { CallOptions } from '@atrium/integrations/call-options'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import type { Services } from '../rpc/services.ts'

/**
 * Gives an identity a password that another person sees: its own person has to replace it at the
 * first sign-in, and it expires. Recorded first, so that a process that dies in between leaves
 * nothing that does not expire.
 */
export async function setTemporaryPassword(
  { database, clock }: Services,
  identity: IdentityProvider,
  { idpUserId, userId, password }: { idpUserId: string; userId?: string; password: string },
  options: CallOptions = {},
): Promise<void> {
  const issuedAt = clock.now()
  const expiresAt = temporaryPasswordExpiry(issuedAt)
  await saveTemporaryPassword(database.db, userId === undefined ? { idpUserId } : { userId }, {
    issuedAt,
    expiresAt,
  })
  await identity.setPassword({ userId: idpUserId, password, temporary: { expiresAt } }, options)
}
