import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import type { FactorCounts } from '@atrium/core/upstream-cache/mfa'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface StaffRow {
  id: string
  email: string
  name: string
  idpSubjectId: string
  idpUserId: string | null
  access: PartnerAccess
  deactivatedAt: Date | null
  /** Has not accepted the invitation yet. */
  invited: boolean
  lastSeenAt: Date | null
  enrolled: boolean | null
  factors: FactorCounts | null
  failure: string | null
  readAt: Date | null
}

const selectStaff = sql`
  select u.id, u.email, u.name, u.idp_subject_id as "idpSubjectId", u.idp_user_id as "idpUserId", u.partner_access as access,
    u.deactivated_at as "deactivatedAt", u.invited, u.last_seen_at as "lastSeenAt", (r.value ->> 'enrolled')::boolean as enrolled,
    r.value -> 'factors' as factors, r.failure, r.read_at as "readAt"
  from users u left join user_readings r on r.user_id = u.id and r.kind = 'second_factors'`

/**
 * The partner's staff with their second factors as last read, newest first, one row more than
 * asked.
 */
export async function listStaff(
  db: Db,
  partnerId: string,
  page: { before?: string | undefined; limit: number },
): Promise<StaffRow[]> {
  const { rows } = await sql<StaffRow>`
    ${selectStaff} where u.partner_id = ${partnerId} and u.removed_at is null ${page.before ? sql`and u.id < ${page.before}` : sql``}
    order by u.id desc limit ${page.limit + 1}`.execute(db)
  return rows
}

export async function findStaff(
  db: Db | Trx,
  partnerId: string,
  userId: string,
): Promise<StaffRow | undefined> {
  const { rows } =
    await sql<StaffRow>`${selectStaff} where u.partner_id = ${partnerId} and u.id = ${userId} and u.removed_at is null`.execute(
      db,
    )
  return rows[0]
}

/** Whether another person with access owns the partner. Read under the partner's lock. */
export async function hasOtherOwner(trx: Trx, partnerId: string, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('users')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('partner_access', '=', 'owner')
    .where('id', '<>', userId)
    .where('deactivated_at', 'is', null)
    .where('removed_at', 'is', null)
    .where('invited', '=', false)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Holds the person's record until the transaction ends. */
export async function lockUser(trx: Trx, userId: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** Puts a person on a partner's staff, changes the level, or takes the person off with null. */
export async function setStaff(
  trx: Trx,
  userId: string,
  staff: { partnerId: string; access: PartnerAccess } | null,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({
      partner_id: staff?.partnerId ?? null,
      partner_access: staff?.access ?? null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute()
}
