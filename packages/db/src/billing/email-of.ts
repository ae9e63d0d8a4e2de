import { sql } from 'kysely'

const uuid = sql.lit('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')

/**
 * The e-mail address of the person whose id is in the column; the column where there is no such
 * person. Compares ids as uuid, so that the primary key of users is used.
 */
export function emailOf(column: string) {
  const id = sql.ref(column)
  return sql<string | null>`coalesce(
    (select u.email from users u where u.id = case when ${id} ~ ${uuid} then ${id}::uuid end), ${id})`
}
