import { sql } from 'kysely'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db } from '../platform/connect.ts'

/**
 * A person whose file account was removed, and what may have come back of it: `age` in seconds
 * since the removal, `disabled` the ids of accounts that were created again and are disabled now.
 */
export type FormerFileAccount = Awaited<ReturnType<typeof claimFormerFileAccounts>>[number]

/**
 * Notes that this person's file account is about to be removed. Repeatable: the time is that of the
 * last call.
 */
export async function noteFormerFileAccount(
  db: Db,
  person: { userId: string; username: string; subject: string },
): Promise<void> {
  const { userId: user_id, username, subject } = person
  const times = { removed_at: sql<Date>`now()`, next_at: sql<Date>`now()` }
  await db
    .insertInto('former_file_accounts')
    .values({ user_id, username, subject, ...times })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ username, subject, ...times }),
    )
    .execute()
}

/**
 * Takes up to `limit` that are due. Each is due again after ten minutes unless
 * `planFormerFileAccount` says otherwise.
 */
export function claimFormerFileAccounts(db: Db, limit: number) {
  return db
    .updateTable('former_file_accounts as f')
    .set({ next_at: secondsFromNow(600) })
    .where('f.user_id', 'in', ({ selectFrom }) =>
      selectFrom('former_file_accounts')
        .select('user_id')
        .where('next_at', '<=', sql<Date>`now()`)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning([
      'f.user_id as userId',
      'f.username',
      'f.subject',
      sql<number>`extract(epoch from now() - f.removed_at)::float8`.as('age'),
      'f.disabled',
    ])
    .returning(({ eb, exists, selectFrom }) => {
      const onRecord = selectFrom('users as u')
        .select('u.id')
        .where((u) =>
          u.or([
            u('u.id', '=', u.ref('f.user_id')),
            u('u.idp_subject_id', '=', u.ref('f.subject')),
          ]),
        )
        .where('u.removed_at', 'is', null)
      const member = onRecord
        .innerJoin('memberships as m', 'm.user_id', 'u.id')
        .where('m.status', '<>', 'removing')
      return (
        eb
          .case()
          // The person has a membership again.
          .when(exists(member))
          .then('back' as const)
          // The removal is not done.
          .when(exists(onRecord))
          .then('leaving' as const)
          .else('gone' as const)
          .end()
          .as('standing')
      )
    })
    .execute()
}

export async function noteDisabledFileAccount(
  db: Db,
  userId: string,
  accountId: string,
): Promise<void> {
  await db
    .updateTable('former_file_accounts')
    .set({ disabled: sql<string[]>`array_append(disabled, ${accountId})` })
    .where('user_id', '=', userId)
    .where(sql<boolean>`${accountId} <> all(disabled)`)
    .execute()
}

/** When to look again, in seconds since the account was removed. */
export async function planFormerFileAccount(db: Db, userId: string, age: number): Promise<void> {
  await db
    .updateTable('former_file_accounts')
    .set({ next_at: sql<Date>`removed_at + make_interval(secs => ${age})` })
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteFormerFileAccount(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('former_file_accounts').where('user_id', '=', userId).execute()
}

/** Ids of the file accounts that are on record for a tenant's members. */
export async function fileAccountsOf(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('file_account_id as id')
    .where('tenant_id', '=', tenantId)
    .where('file_account_id', 'is not', null)
    .$narrowType<{ id: string }>()
    .execute()
  return rows.map(({ id }) => id)
}
