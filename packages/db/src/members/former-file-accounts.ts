import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/** A person whose file account was removed, and what may have come back of it. */
export interface FormerFileAccount {
  userId: string
  username: string
  subject: string
  /** Seconds since the account was removed. */
  age: number
  /** Ids of accounts that were created again and are disabled now. */
  disabled: string[]
  /** `back`: the person has a membership again. `leaving`: the removal is not done. */
  standing: 'gone' | 'leaving' | 'back'
}

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
export async function claimFormerFileAccounts(db: Db, limit: number): Promise<FormerFileAccount[]> {
  const { rows } = await sql<FormerFileAccount>`
    update former_file_accounts f set next_at = now() + interval '10 minutes'
    where f.user_id in (select user_id from former_file_accounts where next_at <= now() order by next_at limit ${limit} for update skip locked)
    returning f.user_id as "userId", f.username, f.subject, extract(epoch from now() - f.removed_at)::float8 as age, f.disabled,
      case when exists (select from users u join memberships m on m.user_id = u.id
          where (u.id = f.user_id or u.idp_subject_id = f.subject) and u.removed_at is null and m.status <> 'removing') then 'back'
        when exists (select from users u where (u.id = f.user_id or u.idp_subject_id = f.subject) and u.removed_at is null) then 'leaving'
        else 'gone' end as standing`.execute(db)
  return rows
}

export async function noteDisabledFileAccount(
  db: Db,
  userId: string,
  accountId: string,
): Promise<void> {
  await sql`
    update former_file_accounts set disabled = array_append(disabled, ${accountId})
    where user_id = ${userId} and ${accountId} <> all(disabled)`.execute(db)
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
