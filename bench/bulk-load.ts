import type pg from 'pg'

/** Names of a bench's rows are the same in every run. */
export const seed = 20_261_121

/**
 * Function of the session, `pg_temp.bench_id(kind, n)`: a UUIDv7 that depends on kind and number
 * alone, one millisecond apart, so that ids sort by number as real ones do by time.
 */
export const makeId = `create function pg_temp.bench_id(kind text, n bigint) returns uuid language sql immutable as $$
  select (lpad(to_hex(1750000000000 + n), 12, '0') || '7' || substr(md5(kind || n || '${seed}'), 1, 3)
    || '8' || substr(md5(kind || n || '${seed}'), 4, 15))::uuid $$`

interface TakenIndex {
  drop: string
  build: string
}

/**
 * Runs `load` while the tables have no indexes but their keys, and builds the others when the rows
 * are there: sorted once instead of sought for every row. A unique index or an exclusion that the
 * rows do not keep fails there. Keys, and what a foreign key refers to, stay.
 */
export async function loadWithoutIndexes<T>(
  client: pg.Client,
  tables: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<TakenIndex>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
        else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
      case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
        else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as build
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('u', 'x')
    where i.indrelid = any($1::regclass[]) and not i.indisprimary
      and not exists (select from pg_constraint f where f.conindid = i.indexrelid and f.contype = 'f')
    order by i.indexrelid`,
    [tables],
  )
  for (const { drop } of rows) await client.query(drop)
  const loaded = await load()
  await client.query(`set maintenance_work_mem = '1GB'`)
  for (const { build } of rows) await client.query(build)
  return loaded
}
