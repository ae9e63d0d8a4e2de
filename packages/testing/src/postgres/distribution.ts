import type pg from 'pg'

/** What keeps the tables of tenants from being distributed by `tenant_id`, named one by one. */
export interface Distance {
  /** Tables that reference one of a tenant and do not require `tenant_id`. */
  tablesWithoutTenant: string[]
  /** Tables of tenants whose primary key lacks it. */
  primaryKeys: string[]
  /** Unique and exclusion indexes of tables of tenants that lack it. */
  uniqueIndexes: string[]
  /** Foreign keys to tables of tenants that lack it on either side, or do not require it. */
  foreignKeys: string[]
  /** Triggers of tables of tenants that send NOTIFY, which a worker's listeners alone would get. */
  notifyingTriggers: string[]
  /**
   * Triggers of tables of tenants that change rows by a volatile function (of the clock, chance).
   */
  volatileFunctions: string[]
  /**
   * Triggers of tables that those of tenants reference and that have no tenant, such as `tenants`
   * itself, with functions that use rows of tenants: every node has a copy of such a table, and
   * none has all these rows.
   */
  crossingTriggers: string[]
}

/**
 * Tables that say which tenant a name belongs to, because the name is unique among all tenants.
 * Each node of an engine that distributes the others has a copy of them.
 */
export const directories: readonly string[] = ['proven_domains']

// Tables of tenants: those that require the tenant, and those that reference one of them.
const tables = `
  with base as (
    select c.oid, c.relname as name,
      case when a.attnotnull and c.relname <> all('{${directories}}') then a.attnum end as tenant
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace),
  owned as (select * from base where tenant is not null),
  children as (
    select distinct b.*, p.name as parent from base b
    join pg_constraint f on f.conrelid = b.oid and f.contype = 'f'
    join owned p on p.oid = f.confrelid
    where b.tenant is null)`

const questions: Record<keyof Distance, string> = {
  tablesWithoutTenant: `${tables}
    select name || ' of ' || string_agg(parent, ', ' order by parent) as item from children group by name`,
  primaryKeys: `${tables}
    select name as item from owned where not exists (
      select from pg_constraint k where k.conrelid = owned.oid and k.contype = 'p' and tenant = any(k.conkey))`,
  uniqueIndexes: `${tables}
    select i.indexrelid::regclass::text as item from owned
    join pg_index i on i.indrelid = owned.oid and (i.indisunique or i.indisexclusion) and not i.indisprimary
    where not tenant = any(i.indkey)`,
  foreignKeys: `${tables}
    select f.conname::text as item from pg_constraint f join owned p on p.oid = f.confrelid
    left join pg_attribute own on own.attrelid = f.conrelid and own.attname = 'tenant_id'
    where f.contype = 'f' and (array_position(f.confkey, p.tenant) is null or not own.attnotnull
      or array_position(f.conkey, own.attnum) is distinct from array_position(f.confkey, p.tenant))`,
  notifyingTriggers: `${tables}
    select name || '.' || t.tgname as item from owned
    join pg_trigger t on t.tgrelid = owned.oid and not t.tgisinternal join pg_proc f on f.oid = t.tgfoid
    where f.prosrc ~* '\\m(pg_notify|notify)\\M'`,
  volatileFunctions: `${tables}
    select name || '.' || t.tgname as item from owned
    join pg_trigger t on t.tgrelid = owned.oid and not t.tgisinternal join pg_proc f on f.oid = t.tgfoid
    where f.prosrc ~* '\\m(random|clock_timestamp|timeofday|gen_random_uuid)\\s*\\('`,
  crossingTriggers: `${tables},
  -- One expression of all names: each is compiled once.
  using_rows as materialized (
    select oid, proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and prosrc ~* (
      select '\\m(from|join|into|update)\\s+(' || string_agg(name, '|') || ')\\M' from owned))
    select b.name || '.' || t.tgname as item from base b
    join pg_trigger t on t.tgrelid = b.oid and not t.tgisinternal join pg_proc f on f.oid = t.tgfoid
    where b.tenant is null
      and b.oid in (select k.confrelid from owned o join pg_constraint k on k.conrelid = o.oid)
      and (f.oid in (select oid from using_rows) or f.prosrc ~* (
        select '\\m(' || string_agg(name, '|') || ')\\s*\\(' from using_rows))`,
}

/**
 * Reads from the catalogue how far the schema is from one that an engine such as Citus distributes
 * by `tenant_id`. `client`: of the account that owns the schema.
 */
export async function measureDistance(client: pg.Client): Promise<Distance> {
  const found: [string, string[]][] = []
  for (const [kind, question] of Object.entries(questions)) {
    const { rows } = await client.query<{ item: string }>(`${question} order by 1`)
    found.push([kind, rows.map(({ item }) => item)])
  }
  return Object.fromEntries(found) as unknown as Distance
}

/** The distance as one number. */
export const distanceOf = (distance: Distance): number =>
  Object.values(distance).reduce((sum: number, items: string[]) => sum + items.length, 0)
