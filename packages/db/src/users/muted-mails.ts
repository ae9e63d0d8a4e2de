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
  db: Db,
  { userId, group, muted }: { userId: string; group: MailGroup; muted: boolean },
): Promise<void> {
  const without = sql<string[]>`array_remove(muted_mails, ${group})`
  await db
    .updateTable('users')
    .set({ muted_mails: muted ? sql<string[]>`array_append(${without}, ${group})` : without })
    .where('id', '=', userId)
    .execute()
}

/** Whether the recipient, found by id or else by address, switched the group off. */
export async function isMailMuted(
  trx: Trx,
  of: { userId: string | undefined; address: string; group: MailGroup },
): Promise<boolean> {
  let query = trx
    .selectFrom('users')
    .select('id')
    .where('removed_at', 'is', null)
    .where(sql<boolean>`${of.group} = any(muted_mails)`)
  query =
    of.userId === undefined
      ? query.where('email', '=', of.address)
      : query.where('id', '=', of.userId)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}
