import type { Db } from '@atrium/db/platform/connect'
import { sql } from 'kysely'

export interface Column {
  table: string
  column: string
  /** As information_schema names it. */
  type: string
}

/** Every column of every table of the service's own schema that its account may read. */
export async function columnsOf(db: Db): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and has_table_privilege(format('%I.%I', c.table_schema, c.table_name), 'select')
      and not exists (select 1 from pg_inherits i where i.inhrelid = format('%I.%I', c.table_schema, c.table_name)::regclass)
    order by c.table_name, c.ordinal_position`.execute(db)
  return rows
}

export type Row = Readonly<Record<string, unknown>>
/** Rows by table. */
export type Cells = ReadonlyMap<string, readonly Row[]>

/**
 * Everything that the tables hold, to be compared with what they hold later; in one statement, so
 * that it is of one moment.
 */
export async function readCells(db: Db, tables: readonly string[]): Promise<Cells> {
  const all = tables.map(
    (table) => sql`select ${table}::text as table, to_jsonb(t) as row from ${sql.table(table)} t`,
  )
  const { rows } = await sql<{
    table: string
    row: Row
  }>`${sql.join(all, sql` union all `)}`.execute(db)
  const cells = new Map<string, Row[]>(tables.map((table) => [table, []]))
  for (const { table, row } of rows) cells.get(table)?.push(row)
  return cells
}

/** A checksum over the same, where only equality matters. */
export async function checksums(db: Db, tables: readonly string[]): Promise<Map<string, string>> {
  const all = tables.map(
    (table) => sql`
      select ${table}::text as table, count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum
      from ${sql.table(table)} t`,
  )
  const { rows } = await sql<{
    table: string
    sum: string
  }>`${sql.join(all, sql` union all `)}`.execute(db)
  return new Map(rows.map(({ table, sum }) => [table, sum]))
}

const identity = (row: Row) => (row.id === undefined ? JSON.stringify(row) : JSON.stringify(row.id))

/**
 * Names of the columns that changed in rows that were there, and of the tables that got or lost
 * rows: `tenants.name`, `+users`.
 */
export function changesBetween(before: Cells, after: Cells): Set<string> {
  const changes = new Set<string>()
  for (const [table, rows] of after) {
    const former = new Map((before.get(table) ?? []).map((row) => [identity(row), row]))
    for (const row of rows) {
      const was = former.get(identity(row))
      if (!was) changes.add(`+${table}`)
      else
        for (const [column, value] of Object.entries(row))
          if (JSON.stringify(value) !== JSON.stringify(was[column]))
            changes.add(`${table}.${column}`)
      former.delete(identity(row))
    }
    if (former.size > 0) changes.add(`-${table}`)
  }
  return changes
}
