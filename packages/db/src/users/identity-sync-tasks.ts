import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * How long the process that changed a person may take to update the identity provider before
 * another takes over; in seconds.
 */
export const syncAfterSeconds = 60

/** What has to be followed; one act owes one of them. */
export interface IdentitySyncKinds {
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
  /**
   * The identity was made inactive for a moment, to end its tokens, and has to be made active
   * again.
   */
  reopen?: true
}

/**
 * Records that the identity provider may be behind our record of a person. Call it in the
 * transaction of the change or before calling the provider. Returns the mark that completes the
 * task; a later change replaces the mark.
 */
export async function addIdentitySyncTask(
  db: Db | Trx,
  userId: string,
  pending: IdentitySyncKinds,
): Promise<string> {
  const {
    everywhere = false,
    administrators = false,
    staff = false,
    profile = false,
    address = false,
    reopen = false,
  } = pending
  const fresh = {
    mark: sql<string>`new_id()`,
    attempts: 0,
    next_at: sql<Date>`now() + make_interval(secs => ${syncAfterSeconds})`,
    error: null,
  }
  const { mark } = await db
    .insertInto('identity_dues')
    .values({
      user_id: userId,
      everywhere,
      administrators,
      staff,
      profile,
      address,
      reopen,
      ...fresh,
    })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        ...fresh,
        everywhere: sql<boolean>`identity_dues.everywhere or excluded.everywhere`,
        administrators: sql<boolean>`identity_dues.administrators or excluded.administrators`,
        staff: sql<boolean>`identity_dues.staff or excluded.staff`,
        profile: sql<boolean>`identity_dues.profile or excluded.profile`,
        address: sql<boolean>`identity_dues.address or excluded.address`,
        reopen: sql<boolean>`identity_dues.reopen or excluded.reopen`,
      }),
    )
    .returning('mark')
    .executeTakeFirstOrThrow()
  return mark
}

/** All tasks of the person, for a worker that syncs the whole record. */
export const allKinds = {
  everywhere: true,
  administrators: true,
  staff: true,
  profile: true,
  address: true,
  reopen: true,
} as const satisfies IdentitySyncKinds

/**
 * The provider has followed in what is named; the rest stays due. Does nothing when another change
 * was noted meanwhile.
 */
export async function completeIdentitySyncTask(
  db: Db | Trx,
  userId: string,
  mark: string,
  followed: IdentitySyncKinds,
): Promise<void> {
  const {
    everywhere = false,
    administrators = false,
    staff = false,
    profile = false,
    address = false,
    reopen = false,
  } = followed
  const left = await db
    .updateTable('identity_dues')
    .set({
      everywhere: sql<boolean>`everywhere and not ${everywhere}::boolean`,
      administrators: sql<boolean>`administrators and not ${administrators}::boolean`,
      staff: sql<boolean>`staff and not ${staff}::boolean`,
      profile: sql<boolean>`profile and not ${profile}::boolean`,
      address: sql<boolean>`address and not ${address}::boolean`,
      reopen: sql<boolean>`reopen and not ${reopen}::boolean`,
    })
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .returning(pending.as('pending'))
    .executeTakeFirst()
  if (left?.pending !== false) return
  await db
    .deleteFrom('identity_dues')
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .execute()
}

const pending = sql<boolean>`everywhere or administrators or staff or profile or address or reopen`

/** How long one process may take to tell a profile. The provider is given less. */
const profileLeaseSeconds = 15

/** The telling of one person's profile, in the hands of one process. */
export interface ProfileLease {
  userId: string
  run: string
  mark: string
  /** The address is due too. */
  address: boolean
}

/**
 * Takes the telling of a person's profile: one process at a time, so that no older record reaches
 * the provider after a newer one. `none` when nothing is due, `held` while another one has it.
 */
export async function claimProfile(
  db: Db,
  userId: string,
): Promise<ProfileLease | 'none' | 'held'> {
  const { rows } = await sql<{ run: string | null; mark: string; address: boolean }>`
    with claimed as (
      update identity_dues set run = new_id(), lease_until = now() + make_interval(secs => ${profileLeaseSeconds})
      where user_id = ${userId} and (profile or address) and coalesce(lease_until < now(), true)
      returning run, mark, address)
    select run, mark, address from claimed
    union all
    select null, mark, address from identity_dues
    where user_id = ${userId} and (profile or address) and not exists (select from claimed)`.execute(
    db,
  )
  const [row] = rows
  if (!row) return 'none'
  return row.run === null ? 'held' : { userId, run: row.run, mark: row.mark, address: row.address }
}

/** Gives the telling back undone: the profile stays due. */
export async function releaseProfile(db: Db, { userId, run }: ProfileLease): Promise<void> {
  await db
    .updateTable('identity_dues')
    .set({ run: null, lease_until: null })
    .where('user_id', '=', userId)
    .where('run', '=', run)
    .execute()
}

/**
 * The provider agrees with the record: no token of before tells anything of the person any more.
 * False when the record changed meanwhile; then it is due again.
 */
export async function completeProfileSync(db: Db, turn: ProfileLease): Promise<boolean> {
  const { userId, run, mark } = turn
  return db.transaction().execute(async (trx) => {
    // Members, then the person, then what is due: the order of every act on a person.
    await trx
      .selectFrom('memberships')
      .select('tenant_id')
      .where('user_id', '=', userId)
      .where('profile_due', '=', true)
      .forNoKeyUpdate()
      .execute()
    await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
    const left = await trx
      .updateTable('identity_dues')
      .set({ profile: false, address: false, run: null, lease_until: null, error: null })
      .where('user_id', '=', userId)
      .where('run', '=', run)
      .where('mark', '=', mark)
      .returning(pending.as('pending'))
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
    if (!left.pending)
      await trx
        .deleteFrom('identity_dues')
        .where('user_id', '=', userId)
        .where('mark', '=', mark)
        .execute()
    await trx
      .updateTable('memberships')
      .set({ profile_due: false })
      .where('user_id', '=', userId)
      .where('profile_due', '=', true)
      .execute()
    await trx
      .updateTable('users')
      .set({ updated_at: sql<Date>`now()` })
      .where('id', '=', userId)
      .execute()
    return true
  })
}

export interface IdentitySyncTask {
  userId: string
  mark: string
  everywhere: boolean
  profile: boolean
  address: boolean
  reopen: boolean
  /** Tries, this one included. */
  attempts: number
}

/** Takes those that are due, each for two minutes, so that several processes share them. */
export async function claimIdentitySyncTasks(db: Db, limit: number): Promise<IdentitySyncTask[]> {
  const { rows } = await sql<IdentitySyncTask>`
    update identity_dues d set next_at = now() + interval '2 minutes', attempts = d.attempts + 1
    where d.user_id in (select user_id from identity_dues where next_at <= now() order by next_at limit ${limit} for update skip locked)
    returning d.user_id as "userId", d.mark, d.everywhere, d.profile, d.address, d.reopen, d.attempts`.execute(
    db,
  )
  return rows
}

export async function postponeIdentitySyncTask(
  db: Db,
  { userId, mark }: IdentitySyncTask,
  afterSeconds: number,
  error: string,
): Promise<void> {
  await db
    .updateTable('identity_dues')
    .set({ next_at: sql<Date>`now() + make_interval(secs => ${afterSeconds})`, error })
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .execute()
}
