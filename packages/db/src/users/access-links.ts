import { temporaryPasswordHours } from '@atrium/core/members/passwords'
import { sql } from 'kysely'
import { ownAddress } from '../members/members.ts'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'

/** How long a mailed link opens something, in seconds. */
export const accessLinkSeconds = 7 * 86_400

/**
 * Stores the one valid link of a person; links mailed before become invalid. Only the hash is
 * stored.
 */
export async function saveAccessLink(
  db: Db,
  link: { userId: string; email: string; hash: Buffer },
): Promise<void> {
  const fresh = {
    email: link.email,
    sent_to: null,
    sender_tenant_id: null,
    token_hash: link.hash,
    expires_at: secondsFromNow(accessLinkSeconds),
    created_at: sql<Date>`now()`,
  }
  await db
    .insertInto('access_links')
    .values({ user_id: link.userId, ...fresh })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(({ ref }) => ({
        ...fresh,
        expires_at: ref('excluded.expires_at'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute()
}

export interface AccessLink {
  userId: string
  email: string
  name: string
  /** The second address that it was sent to; such a link does not prove `email`. */
  sentTo: string | null
  senderSlug: string | null
}

/**
 * The person of a link that is valid now. A link ends with its time, its use, and any change of the
 * person's address.
 */
export function findByAccessLink(db: Db | Trx, hash: Buffer): Promise<AccessLink | undefined> {
  return selectValid(db, hash)
    .select(['u.id as userId', 'u.email', 'u.name', 'l.sent_to as sentTo', 't.slug as senderSlug'])
    .executeTakeFirst()
}

/** A link to a second address ends with the right of its tenant to have it sent. */
function selectValid(db: Db | Trx, hash: Buffer) {
  return db
    .selectFrom('access_links as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .leftJoin('memberships as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').onRef('m.tenant_id', '=', 'l.sender_tenant_id'),
    )
    .leftJoin('tenants as t', 't.id', 'm.tenant_id')
    .where('l.token_hash', '=', hash)
    .where('l.expires_at', '>', sql<Date>`now()`)
    .whereRef('l.email', '=', 'u.email')
    .where('u.removed_at', 'is', null)
    .where(({ eb, or, and }) =>
      or([
        eb('l.sent_to', 'is', null),
        and([
          eb('u.deactivated_at', 'is', null),
          eb('m.status', 'in', ['active', 'provisioning']),
          ownAddress(),
        ]),
      ]),
    )
}

export interface AccessLinkTerms {
  email: string
  expiresAt: Date
}

/** What the page of such a link shows. */
export function findAccessLinkTerms(db: Db, hash: Buffer): Promise<AccessLinkTerms | undefined> {
  return selectValid(db, hash).select(['u.email', 'l.expires_at as expiresAt']).executeTakeFirst()
}

export async function deleteAccessLink(db: Db | Trx, hash: Buffer): Promise<void> {
  await db.deleteFrom('access_links').where('token_hash', '=', hash).execute()
}

/** For the clean-up. Returns how many. */
export async function deleteExpiredAccessLinks(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('access_links')
    .where('expires_at', '<', sql<Date>`now()`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** A link to a new password that goes to a second address of a member. */
export interface PasswordLink {
  userId: string
  /** The address that the member signs in with. */
  email: string
  sentTo: string
  tenantId: string
}

/** As long as a password that an admin was shown. */
const lifeSeconds = temporaryPasswordHours * 3_600

/**
 * Allows one such link in place of every other link of the person. It opens nothing until
 * `renewPasswordLink` gives it a token: `hash` is of one that nobody has.
 */
export async function allowPasswordLink(
  trx: Trx,
  { userId, email, sentTo, tenantId, hash }: PasswordLink & { hash: Buffer },
): Promise<void> {
  const link = {
    email,
    sent_to: sentTo,
    sender_tenant_id: tenantId,
    token_hash: hash,
    expires_at: secondsFromNow(lifeSeconds),
    created_at: sql<Date>`now()`,
  }
  await trx
    .insertInto('access_links')
    .values({ user_id: userId, ...link })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(({ ref }) => ({
        ...link,
        expires_at: ref('excluded.expires_at'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute()
}

type Granted = Pick<PasswordLink, 'userId' | 'sentTo' | 'tenantId'>

/** Whether the link is still allowed: it was neither used nor replaced, and has not expired. */
export async function isPasswordLinkAllowed(db: Db, link: Granted): Promise<boolean> {
  const row = await db
    .selectFrom('access_links')
    .select('user_id')
    .where('user_id', '=', link.userId)
    .where('sent_to', '=', link.sentTo)
    .where('sender_tenant_id', '=', link.tenantId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined
}

/** Gives an allowed link its token, when the mail is sent. Returns whether it is still allowed. */
export async function renewPasswordLink(
  db: Db,
  { userId, sentTo, tenantId, hash }: Granted & { hash: Buffer },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('access_links')
    .set({ token_hash: hash })
    .where('user_id', '=', userId)
    .where('sent_to', '=', sentTo)
    .where('sender_tenant_id', '=', tenantId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Every link of the person opens nothing from now on. */
export async function deleteAccessLinksOf(db: Db | Trx, userId: string): Promise<void> {
  await db.deleteFrom('access_links').where('user_id', '=', userId).execute()
}
