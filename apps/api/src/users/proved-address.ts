import { AppError } from '@atrium/core/platform/errors'
import { readTrust } from '@atrium/db/members/invitations'
import type { Db, Trx } from '@atrium/db/platform/connect'

/** The sentence for somebody who is to get power over something. */
export const notProved = (name: string) =>
  new AppError(
    'address_not_proved',
    `Another tenant made the sign-in of ${name}, and nobody has proved the address. Invite the person, so that they prove it by the link in the mail.`,
  )

/**
 * Rejects to give power over something to an identity that a tenant made and nobody proved. Throws
 * AppError `address_not_proved`.
 */
export async function rejectUnproved(
  db: Db | Trx,
  user: { id: string; name: string },
): Promise<void> {
  const trust = await readTrust(db, user.id)
  if (trust && trust.homeTenantId !== null && !trust.proved) throw notProved(user.name)
}
