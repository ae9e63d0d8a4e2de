import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { type NotNull, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { enrolled, factors } from '../upstream-cache/mfa.ts'

/** The partner's staff with their second factors as last read. */
function selectStaff(db: Db | Trx, partnerId: string) {
  return (
    db
      .selectFrom('users as u')
      .leftJoin('user_readings as r', (join) =>
        join.onRef('r.user_id', '=', 'u.id').on('r.kind', '=', 'second_factors'),
      )
      .select([
        'u.id',
        'u.email',
        'u.name',
        'u.idp_subject_id as idpSubjectId',
        'u.idp_user_id as idpUserId',
        'u.partner_access as access',
        'u.deactivated_at as deactivatedAt',
        'u.last_seen_at as lastSeenAt',
        enrolled.as('enrolled'),
        factors.as('factors'),
        'r.failure',
        'r.read_at as readAt',
      ])
      .where('u.partner_id', '=', partnerId)
      .where('u.removed_at', 'is', null)
      // A user of a partner has an access level.
      .$narrowType<{ access: NotNull }>()
  )
}

export type StaffRow = Awaited<ReturnType<typeof listStaff>>[number]

/** Newest first, one row more than requested. */
export function listStaff(
  db: Db,
  partnerId: string,
  page: { before?: string | undefined; limit: number },
) {
  return selectStaff(db, partnerId)
    .$if(page.before !== undefined, (query) => query.where('u.id', '<', page.before ?? ''))
    .orderBy('u.id', 'desc')
    .limit(page.limit + 1)
    .execute()
}

export function findStaff(
  db: Db | Trx,
  partnerId: string,
  userId: string,
): Promise<StaffRow | undefined> {
  return selectStaff(db, partnerId).where('u.id', '=', userId).executeTakeFirst()
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
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Holds the person's record until the transaction ends. */
export async function lockUser(trx: Trx, userId: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** Adds a person to a partner's staff, changes the level, or with null removes the person. */
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
