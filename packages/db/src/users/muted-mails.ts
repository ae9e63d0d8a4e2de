import type { MailGroup } from '@atrium/core/account/notifications'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** The groups of mails that a person switched off. */
export async function readMutedMails(db: Db, userId: string): Promise<string[]> {
  const row = await db
    .selectFrom('users')
    .select('muted_mails')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.muted_mails ?? []
}

/** Switches one group off or on, beside what others change at the same time. Repeatable. */
export async function setMailMuted(
  db: Db | Trx,
  { userId, group, muted }: { userId: string; group: MailGroup; muted: boolean },
): Promise<void> {
  const without = sql<string[]>`array_remove(muted_mails, ${group})`
  await db
    .updateTable('users')
    .set({ muted_mails: muted ? sql<string[]>`array_append(${without}, ${group})` : without })
    .where('id', '=', userId)
    .execute()
}

/**
 * The recipient of a mail, found by id or else by address, and whether they switched its group off.
 */
export async function findMailRecipient(
  db: Db | Trx,
  of: { userId?: string | undefined; address?: string; group: MailGroup },
): Promise<{ id: string; email: string; muted: boolean } | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'email', sql<boolean>`${of.group} = any(muted_mails)`.as('muted')])
    .where('removed_at', 'is', null)
    .where(({ eb }) =>
      of.userId === undefined ? eb('email', '=', of.address ?? '') : eb('id', '=', of.userId),
    )
    .orderBy('muted', 'desc')
    .limit(1)
    .executeTakeFirst()
}
