import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

/** How long whoever changes a person may take to tell the identity provider, before somebody else does; in seconds. */
export const dueAfterSeconds = 60

/** What has to be followed; one act owes one of them. */
export interface OwedKinds {
  /** The open or shut account; mailboxes and file accounts in the person's tenants too. */
  everywhere?: true
  /** The group of administrators. */
  administrators?: true
  /** The group of partner staff. */
  staff?: true
  /** Name and contact data. */
  profile?: true
}

/**
 * Puts on record that the identity provider may not have followed what stands here of a person. In the transaction of the change, or before
 * the provider is asked. Answers the mark under which it is taken off again: a later change puts its own in its place.
 */
export async function noteIdentityDue(db: Db | Trx, userId: string, owed: OwedKinds): Promise<string> {
  const { everywhere = false, administrators = false, staff = false, profile = false } = owed
  const fresh = {
    mark: sql<string>`new_id()`,
    attempts: 0,
    next_at: sql<Date>`now() + make_interval(secs => ${dueAfterSeconds})`,
    error: null,
  }
  const { mark } = await db
    .insertInto('identity_dues')
    .values({ user_id: userId, everywhere, administrators, staff, profile, ...fresh })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        ...fresh,
        everywhere: sql<boolean>`identity_dues.everywhere or excluded.everywhere`,
        administrators: sql<boolean>`identity_dues.administrators or excluded.administrators`,
        staff: sql<boolean>`identity_dues.staff or excluded.staff`,
        profile: sql<boolean>`identity_dues.profile or excluded.profile`,
      }),
    )
    .returning('mark')
    .executeTakeFirstOrThrow()
  return mark
}

/** All of them, for whoever brings about everything that stands here. */
export const allKinds = { everywhere: true, administrators: true, staff: true, profile: true } as const satisfies OwedKinds

/** The provider has followed in what is named; the rest stays due. Does nothing when another change was noted meanwhile. */
export async function settleIdentityDue(db: Db | Trx, userId: string, mark: string, followed: OwedKinds): Promise<void> {
  const { everywhere = false, administrators = false, staff = false, profile = false } = followed
  const left = await db
    .updateTable('identity_dues')
    .set({
      everywhere: sql<boolean>`everywhere and not ${everywhere}::boolean`,
      administrators: sql<boolean>`administrators and not ${administrators}::boolean`,
      staff: sql<boolean>`staff and not ${staff}::boolean`,
      profile: sql<boolean>`profile and not ${profile}::boolean`,
    })
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .returning(sql<boolean>`everywhere or administrators or staff or profile`.as('owed'))
    .executeTakeFirst()
  if (left?.owed !== false) return
  await db.deleteFrom('identity_dues').where('user_id', '=', userId).where('mark', '=', mark).execute()
}

export interface IdentityDue {
  userId: string
  mark: string
  everywhere: boolean
  profile: boolean
  /** Tries, this one included. */
  attempts: number
}

/** Takes those that are due, each for two minutes, so that several processes share them. */
export async function claimIdentityDues(db: Db, limit: number): Promise<IdentityDue[]> {
  const { rows } = await sql<IdentityDue>`
    update identity_dues d set next_at = now() + interval '2 minutes', attempts = d.attempts + 1
    where d.user_id in (select user_id from identity_dues where next_at <= now() order by next_at limit ${limit} for update skip locked)
    returning d.user_id as "userId", d.mark, d.everywhere, d.profile, d.attempts`.execute(db)
  return rows
}

export async function postponeIdentityDue(db: Db, { userId, mark }: IdentityDue, afterSeconds: number, error: string): Promise<void> {
  await db
    .updateTable('identity_dues')
    .set({ next_at: sql<Date>`now() + make_interval(secs => ${afterSeconds})`, error })
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .execute()
}
