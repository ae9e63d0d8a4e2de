import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { readTrust } from '@atrium/db/members/invitations'
import type { Db, Trx } from '@atrium/db/platform/connect'

/** The sentence for a person who is about to get power over something. */
export const notProved = (name: string) =>
  new AppError('address_not_proved', errorText('identityOfOtherTenant', { name }))

/**
 * Rejects to give power over something to an unproved identity that a tenant created. Throws
 * AppError `address_not_proved`.
 */
export async function rejectUnproved(
  db: Db | Trx,
  user: { id: string; name: string },
): Promise<void> {
  const trust = await readTrust(db, user.id)
  if (trust && trust.homeTenantId !== null && !trust.proved) throw notProved(user.name)
}
