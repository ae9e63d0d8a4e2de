import type { Language } from '@atrium/core/platform/language'
import { sql } from 'kysely'
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
  const { rows } = await sql<{ language: Language | null }>`
    select coalesce(
      (select u.language from users u where u.id = ${userId ?? null}::uuid),
      (select u.language from users u where ${userId === undefined} and u.email = ${address} and u.removed_at is null and u.language is not null
        order by u.invited, u.id limit 1),
      (select t.language from tenants t where t.id = ${tenantId}::uuid)) as language`.execute(db)
  return rows[0]?.language ?? undefined
}

/**
 * The language of pages: the person's, else that of the first of the person's tenants, by name,
 * that set one. Undefined where none did, and for people who are not on record.
 */
export async function languageOfSubject(
  db: Db | Trx,
  subject: string,
): Promise<Language | undefined> {
  const { rows } = await sql<{ language: Language | null }>`
    select coalesce(u.language, (
      select t.language from memberships m join tenants t on t.id = m.tenant_id
      where m.user_id = u.id and t.language is not null and t.status <> 'deleted' and m.status not in ('removing', 'suspended')
        and not (m.role = 'member' and ${sql.raw(isShut('t'))})
      order by t.name, t.id limit 1)) as language
    from users u where u.idp_subject_id = ${subject} and u.removed_at is null`.execute(db)
  return rows[0]?.language ?? undefined
}
