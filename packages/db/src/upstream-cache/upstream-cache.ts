import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export type CacheKind = 'second_factors' | 'file_usage'

/** Whose readings: the members of a tenant, or the staff of a partner. */
export type CacheGroup = { tenantId: string } | { partnerId: string }

const peopleOf = (group: CacheGroup) =>
  'tenantId' in group
    ? sql`(select user_id, file_account_id from memberships where tenant_id = ${group.tenantId}) m`
    : sql`(select id as user_id, null::text as file_account_id from users where partner_id = ${group.partnerId} and removed_at is null) m`

/**
 * Which readings are due: those never made, successes before `freshSince`, failures before
 * `retriedSince`.
 */
export interface Due {
  group: CacheGroup
  kind: CacheKind
  now: Date
  freshSince: Date
  retriedSince: Date
}

/** A person with a claimed cache entry, and the person's ids in upstream systems. */
export interface ClaimedMember {
  id: string
  email: string
  idpSubjectId: string
  idpUserId: string | null
  fileAccountId: string | null
}

// Plain SQL in this file: both kinds of people have the shape of one table `m`, and a condition
// serves the row and the row in conflict with it.
const isDue = (row: 'r' | 'user_readings', { freshSince, retriedSince }: Due) => {
  const [readAt, failure] = [sql.ref(`${row}.read_at`), sql.ref(`${row}.failure`)]
  return sql<boolean>`(${readAt} is null or ${readAt} <= case when ${failure} is null then ${freshSince}::timestamptz else ${retriedSince}::timestamptz end)`
}

export async function countStaleEntries(db: Db, due: Due): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${peopleOf(due.group)} left join user_readings r on r.user_id = m.user_id and r.kind = ${due.kind}
    where ${isDue('r', due)}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Claims up to `limit` due cache entries until `until`: two processes that refresh one group share
 * the work. Locks in the order of ids, to avoid deadlocks.
 */
export async function claimStaleEntries(
  db: Db,
  due: Due,
  limit: number,
  until: Date,
): Promise<ClaimedMember[]> {
  const { rows } = await sql<ClaimedMember>`
    with claimed as (
      insert into user_readings (user_id, kind, claimed_until)
      select m.user_id, ${due.kind}, ${until}::timestamptz from ${peopleOf(due.group)}
        left join user_readings r on r.user_id = m.user_id and r.kind = ${due.kind}
      where ${isDue('r', due)} and (r.claimed_until is null or r.claimed_until <= ${due.now})
      order by m.user_id limit ${limit}
      on conflict (user_id, kind) do update set claimed_until = excluded.claimed_until
        where ${isDue('user_readings', due)} and (user_readings.claimed_until is null or user_readings.claimed_until <= ${due.now})
      returning user_id
    )
    select u.id, u.email, u.idp_subject_id as "idpSubjectId", u.idp_user_id as "idpUserId", m.file_account_id as "fileAccountId"
    from claimed c join users u on u.id = c.user_id join ${peopleOf(due.group)} on m.user_id = u.id`.execute(
    db,
  )
  return rows
}

export type Reading = { userId: string; value: object } | { userId: string; failure: string }

/** Writes what was read, and gives the claims back. A failure takes the place of what was known. */
export async function saveCacheEntries(
  db: Db | Trx,
  kind: CacheKind,
  readings: readonly Reading[],
  now: Date,
): Promise<void> {
  if (readings.length === 0) return
  await sql`
    update user_readings r set value = s.value, failure = s.failure, read_at = ${now}, claimed_until = null
    from jsonb_to_recordset(${JSON.stringify(readings)}::jsonb) as s("userId" uuid, value jsonb, failure text)
    where r.user_id = s."userId" and r.kind = ${kind}`.execute(db)
}

/** Releases claims whose work failed. */
export async function releaseCacheEntries(
  db: Db,
  kind: CacheKind,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return
  await db
    .updateTable('user_readings')
    .set({ claimed_until: null })
    .where('kind', '=', kind)
    .where('user_id', 'in', userIds)
    .execute()
}
