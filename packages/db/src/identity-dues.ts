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
  /** The address that the person signs in with. */
  address?: true
}

/**
 * Puts on record that the identity provider may not have followed what stands here of a person. In the transaction of the change, or before
 * the provider is asked. Answers the mark under which it is taken off again: a later change puts its own in its place.
 */
export async function noteIdentityDue(db: Db | Trx, userId: string, owed: OwedKinds): Promise<string> {
  const { everywhere = false, administrators = false, staff = false, profile = false, address = false } = owed
  const fresh = {
    mark: sql<string>`new_id()`,
    attempts: 0,
    next_at: sql<Date>`now() + make_interval(secs => ${dueAfterSeconds})`,
    error: null,
  }
  const { mark } = await db
    .insertInto('identity_dues')
    .values({ user_id: userId, everywhere, administrators, staff, profile, address, ...fresh })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        ...fresh,
        everywhere: sql<boolean>`identity_dues.everywhere or excluded.everywhere`,
        administrators: sql<boolean>`identity_dues.administrators or excluded.administrators`,
        staff: sql<boolean>`identity_dues.staff or excluded.staff`,
        profile: sql<boolean>`identity_dues.profile or excluded.profile`,
        address: sql<boolean>`identity_dues.address or excluded.address`,
      }),
    )
    .returning('mark')
    .executeTakeFirstOrThrow()
  return mark
}

/** All of them, for whoever brings about everything that stands here. */
export const allKinds = { everywhere: true, administrators: true, staff: true, profile: true, address: true } as const satisfies OwedKinds

/** The provider has followed in what is named; the rest stays due. Does nothing when another change was noted meanwhile. */
export async function settleIdentityDue(db: Db | Trx, userId: string, mark: string, followed: OwedKinds): Promise<void> {
  const { everywhere = false, administrators = false, staff = false, profile = false, address = false } = followed
  const left = await db
    .updateTable('identity_dues')
    .set({
      everywhere: sql<boolean>`everywhere and not ${everywhere}::boolean`,
      administrators: sql<boolean>`administrators and not ${administrators}::boolean`,
      staff: sql<boolean>`staff and not ${staff}::boolean`,
      profile: sql<boolean>`profile and not ${profile}::boolean`,
      address: sql<boolean>`address and not ${address}::boolean`,
    })
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .returning(owed.as('owed'))
    .executeTakeFirst()
  if (left?.owed !== false) return
  await db.deleteFrom('identity_dues').where('user_id', '=', userId).where('mark', '=', mark).execute()
}

const owed = sql<boolean>`everywhere or administrators or staff or profile or address`

/** How long one process may take to tell a profile. The provider is given less. */
const profileLeaseSeconds = 15

/** The telling of one person's profile, in the hands of one process. */
export interface ProfileTurn {
  userId: string
  run: string
  mark: string
  /** The address is due too. */
  address: boolean
}

/**
 * Takes the telling of a person's profile: one process at a time, so that no older record reaches the provider after a newer one. `none` when
 * nothing is due, `held` while another one has it.
 */
export async function claimProfile(db: Db, userId: string): Promise<ProfileTurn | 'none' | 'held'> {
  const { rows } = await sql<{ run: string | null; mark: string; address: boolean }>`
    with claimed as (
      update identity_dues set run = new_id(), lease_until = now() + make_interval(secs => ${profileLeaseSeconds})
      where user_id = ${userId} and (profile or address) and coalesce(lease_until < now(), true)
      returning run, mark, address)
    select run, mark, address from claimed
    union all
    select null, mark, address from identity_dues
    where user_id = ${userId} and (profile or address) and not exists (select from claimed)`.execute(db)
  const [row] = rows
  if (!row) return 'none'
  return row.run === null ? 'held' : { userId, run: row.run, mark: row.mark, address: row.address }
}

/** Gives the telling back undone: the profile stays due. */
export async function releaseProfile(db: Db, { userId, run }: ProfileTurn): Promise<void> {
  await db.updateTable('identity_dues').set({ run: null, lease_until: null }).where('user_id', '=', userId).where('run', '=', run).execute()
}

/**
 * The provider agrees with the record: no token of before tells anything of the person any more. False when the record changed meanwhile;
 * then it is due again.
 */
export async function settleProfile(db: Db, turn: ProfileTurn): Promise<boolean> {
  const { userId, run, mark } = turn
  return db.transaction().execute(async (trx) => {
    const left = await trx
      .updateTable('identity_dues')
      .set({ profile: false, address: false, run: null, lease_until: null, error: null })
      .where('user_id', '=', userId)
      .where('run', '=', run)
      .where('mark', '=', mark)
      .returning(owed.as('owed'))
      .executeTakeFirst()
    if (!left) {
      await trx
        .updateTable('identity_dues')
        .set({ run: null, lease_until: null })
        .where('user_id', '=', userId)
        .where('run', '=', run)
        .execute()
      return false
    }
    if (!left.owed) await trx.deleteFrom('identity_dues').where('user_id', '=', userId).where('mark', '=', mark).execute()
    await trx.updateTable('memberships').set({ profile_due: false }).where('user_id', '=', userId).where('profile_due', '=', true).execute()
    await trx.updateTable('users').set({ updated_at: sql<Date>`now()` }).where('id', '=', userId).execute()
    return true
  })
}

export interface IdentityDue {
  userId: string
  mark: string
  everywhere: boolean
  profile: boolean
  address: boolean
  /** Tries, this one included. */
  attempts: number
}

/** Takes those that are due, each for two minutes, so that several processes share them. */
export async function claimIdentityDues(db: Db, limit: number): Promise<IdentityDue[]> {
  const { rows } = await sql<IdentityDue>`
    update identity_dues d set next_at = now() + interval '2 minutes', attempts = d.attempts + 1
    where d.user_id in (select user_id from identity_dues where next_at <= now() order by next_at limit ${limit} for update skip locked)
    returning d.user_id as "userId", d.mark, d.everywhere, d.profile, d.address, d.attempts`.execute(db)
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
