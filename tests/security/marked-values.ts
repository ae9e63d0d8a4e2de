import type { Db } from '@atrium/db/platform/connect'
import { sql } from 'kysely'

/**
 * The rows of a table that belong to a tenant or partner: by a column of their own, or by the row
 * that they hang on.
 */
interface Owned {
  table: string
  /** `tenant_id = $id`, or the same through another table; `$id` stands for the id. */
  where: string
}

/**
 * Finds, for each table, how its rows name their tenant (or partner), over at most two foreign
 * keys.
 */
async function ownedTables(db: Db, owner: 'tenants' | 'partners'): Promise<Owned[]> {
  const { rows } = await sql<{ table: string; column: string; to: string; toColumn: string }>`
    select c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as to, f.attname as "toColumn"
    from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      join pg_attribute f on f.attrelid = c.confrelid and f.attnum = c.confkey[1]
    where c.contype = 'f' and array_length(c.conkey, 1) = 1 and c.connamespace = 'public'::regnamespace`.execute(
    db,
  )
  const owned = new Map<string, string>([[owner, 'id = $id']])
  for (let hop = 0; hop < 3; hop++) {
    for (const { table, column, to, toColumn } of rows) {
      const there = owned.get(to)
      // People belong to no tenant by a key: whoever is a member is found below.
      if (!there || owned.has(table) || table === 'users' || to === 'users') continue
      owned.set(
        table,
        to === owner
          ? `${column} = $id`
          : `${column} in (select ${toColumn} from ${to} where ${there})`,
      )
    }
  }
  if (owner === 'tenants')
    owned.set('users', 'id in (select user_id from memberships where tenant_id = $id)')
  if (owner === 'partners') owned.set('users', 'partner_id = $id')
  return [...owned].map(([table, where]) => ({ table, where }))
}

/**
 * Ways to put a mark into a text that may have a shape: behind it, in a word, before the @ of an
 * address, as a name of its own.
 */
const ways = [
  `case when position('@' in C) > 0 then regexp_replace(C, '@', 'M@') else C || ' M' end`,
  `C || 'M'`,
  `'m' || 'M'`,
  `'https://M.example.test/'`,
  `'M.example.test'`,
]

/**
 * Writes the mark into every text of everything that belongs to the tenant or partner, as far as
 * the table allows. Returns the columns that took it, `bookings.visitor_name` and so on, and those
 * with values that did not.
 */
export async function markEverything(
  db: Db,
  owner: 'tenants' | 'partners',
  id: string,
  mark: string,
): Promise<{ marked: string[]; unmarked: string[] }> {
  const { rows: columns } = await sql<{ table: string; column: string; type: string }>`
    select table_name as table, column_name as column, data_type as type from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'character varying', 'jsonb', 'ARRAY') and is_generated = 'NEVER'`.execute(
    db,
  )
  const [marked, unmarked]: [string[], string[]] = [[], []]
  for (const { table, where } of await ownedTables(db, owner)) {
    const rowsOf = where.replaceAll('$id', `'${id}'`)
    // Requests name a tenant by its slug, and zones, locales and languages are codes that the
    // program looks up. Everything else can carry the mark.
    for (const { column, type } of columns.filter(
      (one) => one.table === table && !/^slug$|zone$|locale$|language$|_wall$/.test(one.column),
    )) {
      const name = `${table}.${column}`
      const changed =
        type === 'text' || type === 'character varying'
          ? await markText(db, table, column, rowsOf, mark)
          : 0
      if (changed > 0) marked.push(name)
      else if (type !== 'ARRAY' && type !== 'jsonb') unmarked.push(name)
    }
  }
  return { marked, unmarked }
}

async function markText(
  db: Db,
  table: string,
  column: string,
  rowsOf: string,
  mark: string,
): Promise<number> {
  // Empty fields too, where the table lets them stand alone.
  for (const rows of [rowsOf, `"${column}" is not null and ${rowsOf}`]) {
    for (const way of ways) {
      const value = way.replaceAll('C', `coalesce("${column}", 'x')`).replaceAll('M', mark)
      // The table may allow no such text: the next way, until one fits.
      const done = await sql
        .raw(`update ${table} set "${column}" = ${value} where ${rows}`)
        .execute(db)
        .catch(() => undefined)
      if (done) return Number(done.numAffectedRows ?? 0)
    }
  }
  return 0
}
