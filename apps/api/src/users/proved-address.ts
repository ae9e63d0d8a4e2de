import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { readTrust } from '@atrium/db/users/address-proofs'

/** The sentence for a person who is about to get power over something. */
export const notProved = (name: string) =>
  new AppError('address_not_proved', errorText('addressNotProved', { name }))

/**
 * Rejects to give power over something to an identity whose address is not proved, because it may
 * belong to somebody else. Throws AppError `address_not_proved`.
 */
export async function rejectUnproved(
  db: Db | Trx,
  user: { id: string; name: string },
): Promise<void> {
  const trust = await readTrust(db, user.id)
  if (trust && !trust.proved) throw notProved(user.name)
}
