import type { Language } from '@atrium/core/platform/language'
import type { Db, Trx } from '../platform/connect.ts'
import { isShut } from '../tenants/access-conditions.ts'

/**
 * The language of a mail: that of the person, who is found by id or else by address, else the
 * tenant's. Undefined where neither set one.
 */
export async function languageOfRecipient(
  db: Db | Trx,
  {
    address,
    tenantId,
    userId,
  }: { address: string; tenantId: string | null; userId?: string | undefined },
): Promise<Language | undefined> {
  const ofAddress = db
    .selectFrom('users')
    .select('language')
    .where('email', '=', address)
    .where('removed_at', 'is', null)
    .where('language', 'is not', null)
    .orderBy('id')
    .limit(1)
  const ofUser = db
    .selectFrom('users')
    .select('language')
    .where('id', '=', userId ?? null)
  const ofTenant = db.selectFrom('tenants').select('language').where('id', '=', tenantId)
  const row = await db
    .selectNoFrom(({ fn }) =>
      fn.coalesce(userId === undefined ? ofAddress : ofUser, ofTenant).as('language'),
    )
    .executeTakeFirst()
  return row?.language ?? undefined
}

/**
 * The language of pages: the person's, else that of the first of the person's tenants, by name,
 * that set one. Undefined where none did, and for people who are not on record.
 */
export async function languageOfSubject(
  db: Db | Trx,
  subject: string,
): Promise<Language | undefined> {
  const row = await db
    .selectFrom('users as u')
    .select(({ fn, selectFrom }) =>
      fn
        .coalesce(
          'u.language',
          selectFrom('memberships as m')
            .innerJoin('tenants as t', 't.id', 'm.tenant_id')
            .select('t.language')
            .whereRef('m.user_id', '=', 'u.id')
            .where('t.language', 'is not', null)
            .where('t.status', '<>', 'deleted')
            .where('m.status', 'not in', ['removing', 'suspended'])
            .where(({ eb, and, not }) => not(and([eb('m.role', '=', 'member'), isShut('t')])))
            .orderBy('t.name')
            .orderBy('t.id')
            .limit(1),
        )
        .as('language'),
    )
    .where('u.idp_subject_id', '=', subject)
    .where('u.removed_at', 'is', null)
    .executeTakeFirst()
  return row?.language ?? undefined
}
