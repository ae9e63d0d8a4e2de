import { randomUUID } from 'node:crypto'
import { type ExpressionBuilder, expressionBuilder, sql } from 'kysely'
import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import type { Tables } from '../schema/tables.ts'

/**
 * How long the process that changed a person may take to update the identity provider before
 * another takes over; in seconds.
 */
export const syncAfterSeconds = 60

/** What the identity provider has to be told of. */
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
  const fresh = {
    mark: randomUUID(),
    attempts: 0,
    next_at: secondsFromNow(syncAfterSeconds),
    error: null,
  }
  const { mark } = await db
    .insertInto('identity_dues')
    // Every kind is named: some are true by default, for rows of earlier programs.
    .values({ user_id: userId, ...noKinds, ...pending, ...fresh })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(({ or, ref }) => ({
        mark: ref('excluded.mark'),
        attempts: ref('excluded.attempts'),
        next_at: ref('excluded.next_at'),
        error: ref('excluded.error'),
        ...Object.fromEntries(
          kinds.map((kind) => [kind, or([ref(`identity_dues.${kind}`), ref(`excluded.${kind}`)])]),
        ),
      })),
    )
    .returning('mark')
    .executeTakeFirstOrThrow()
  return mark
}

const noKinds = {
  everywhere: false,
  administrators: false,
  staff: false,
  profile: false,
  address: false,
  reopen: false,
} as const satisfies Record<keyof IdentitySyncKinds, false>

const kinds = Object.keys(noKinds) as (keyof IdentitySyncKinds)[]

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
 * Completes the named kinds; the rest stays pending. Does nothing when another change was noted
 * meanwhile.
 */
export async function completeIdentitySyncTask(
  db: Db | Trx,
  userId: string,
  mark: string,
  followed: IdentitySyncKinds,
): Promise<void> {
  const left = await db
    .updateTable('identity_dues')
    .set(Object.fromEntries(kinds.flatMap((kind) => (followed[kind] ? [[kind, false]] : []))))
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .returning(anyPending.as('pending'))
    .executeTakeFirst()
  if (left?.pending !== false) return
  await db
    .deleteFrom('identity_dues')
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .execute()
}

const task = expressionBuilder<Tables, 'identity_dues'>()
/** Whether anything is left to do. */
const anyPending = task.or(kinds.map((kind) => task.ref(kind)))

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
  const profileOf = (eb: ExpressionBuilder<Tables, 'identity_dues'>) =>
    eb.and([eb('user_id', '=', userId), eb.or([eb.ref('profile'), eb.ref('address')])])
  const row = await db
    .with('claimed', (cte) =>
      cte
        .updateTable('identity_dues')
        .set({ run: randomUUID(), lease_until: secondsFromNow(profileLeaseSeconds) })
        .where(profileOf)
        .where(leaseExpired('lease_until'))
        .returning(['run', 'mark', 'address']),
    )
    .selectFrom('claimed')
    .select(['run', 'mark', 'address'])
    .unionAll((eb) =>
      eb
        .selectFrom('identity_dues')
        .select(({ lit }) => [lit(null).as('run'), 'mark', 'address'])
        .where(profileOf)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('claimed').select('claimed.mark'))),
        ),
    )
    .executeTakeFirst()
  if (!row) return 'none'
  return row.run === null ? 'held' : { userId, run: row.run, mark: row.mark, address: row.address }
}

/** Releases the task undone: the profile stays due. */
export async function releaseProfile(db: Db, { userId, run }: ProfileLease): Promise<void> {
  await db
    .updateTable('identity_dues')
    .set({ run: null, lease_until: null })
    .where('user_id', '=', userId)
    .where('run', '=', run)
    .execute()
}

/**
 * The provider agrees with the record, so earlier tokens no longer change it.
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
      .returning(anyPending.as('pending'))
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

export type IdentitySyncTask = Awaited<ReturnType<typeof claimIdentitySyncTasks>>[number]

/**
 * Claims tasks that are due, each for two minutes, so that several processes share them.
 * `attempts` includes this one.
 */
export function claimIdentitySyncTasks(db: Db, limit: number) {
  return db
    .updateTable('identity_dues')
    .set((eb) => ({ next_at: secondsFromNow(120), attempts: eb('attempts', '+', 1) }))
    .where('user_id', 'in', ({ selectFrom }) =>
      selectFrom('identity_dues')
        .select('user_id')
        .where('next_at', '<=', sql<Date>`now()`)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['user_id as userId', 'mark', 'everywhere', 'profile', 'address', 'reopen'])
    .returning('attempts')
    .execute()
}

export async function postponeIdentitySyncTask(
  db: Db,
  { userId, mark }: IdentitySyncTask,
  afterSeconds: number,
  error: string,
): Promise<void> {
  await db
    .updateTable('identity_dues')
    .set({ next_at: secondsFromNow(afterSeconds), error })
    .where('user_id', '=', userId)
    .where('mark', '=', mark)
    .execute()
}
