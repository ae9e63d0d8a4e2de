import { sql } from 'kysely'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db } from '../platform/connect.ts'

/** Whose profile a link gives, as it was when the link was made. */
export interface MailProfileLink {
  address: string
  name: string
  organisation: string
}

/** Address and name of an active member's mailbox; undefined for a member without one. */
export async function findMailboxOfMember(
  db: Db,
  tenantId: string,
  userId: string,
): Promise<{ address: string; name: string } | undefined> {
  const found = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.mailbox_address as address', 'u.name'])
    .where('m.tenant_id', '=', tenantId)
    .where('m.user_id', '=', userId)
    .where('m.status', '=', 'active')
    .executeTakeFirst()
  return found?.address ? { address: found.address, name: found.name } : undefined
}

/**
 * Keeps a one-time link in the place of an earlier one for the same address; `tokenHash` is the
 * SHA-256 of what the link holds.
 */
export async function insertMailProfileLink(
  db: Db,
  tokenHash: Buffer,
  link: MailProfileLink,
  seconds: number,
): Promise<void> {
  await db.deleteFrom('mail_profile_links').where('address', '=', link.address).execute()
  await db
    .insertInto('mail_profile_links')
    .values({
      token_hash: tokenHash,
      ...link,
      expires_at: secondsFromNow(seconds),
    })
    .execute()
}

/**
 * Consumes a link. Only one of two concurrent callers gets the result. Undefined when the link was
 * used, has expired or never existed.
 */
export async function takeMailProfileLink(
  db: Db,
  tokenHash: Buffer,
): Promise<MailProfileLink | undefined> {
  const taken = await db
    .deleteFrom('mail_profile_links')
    .where('token_hash', '=', tokenHash)
    .returning((eb) => [
      'address',
      'name',
      'organisation',
      eb('expires_at', '>', sql<Date>`now()`).as('valid'),
    ])
    .executeTakeFirst()
  if (!taken?.valid) return undefined
  const { valid: _, ...link } = taken
  return link
}

/** Removes links that have run out; for the cleanup job. */
export async function deleteExpiredMailProfileLinks(db: Db): Promise<void> {
  await db.deleteFrom('mail_profile_links').where('expires_at', '<', sql<Date>`now()`).execute()
}
