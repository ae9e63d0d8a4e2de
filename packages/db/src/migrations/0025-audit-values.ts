import { type Kysely, sql } from 'kysely'
import { filters, parameters, settings, walks, within } from './0023-audit-search.ts'

/**
 * What of an entry a text is looked for in. `spelled`: its index knows the column as it was
 * written, not in lower case.
 */
const fields = [
  { name: 'action', column: 'action', spelled: true },
  { name: 'name', column: 'resource_name', spelled: false },
  { name: 'actor', column: 'actor_email', spelled: false },
  { name: 'tenant', column: 'tenant_slug', spelled: true },
] as const

const spelling = ({ column, spelled }: (typeof fields)[number], row: string) =>
  spelled ? `nullif(${row}.${column}, lower(${row}.${column}))` : 'null::text'

/**
 * Whether a value is there already. By its hash, because a name may be longer than an index takes;
 * and compared in a form that no index takes, because the one of trigrams would look up each three
 * letters of it.
 */
const known = (field: string, value: string, spelled: string) => `exists (
      select from audit_values v where hashtextextended(v.value, 0) = hashtextextended(${value}, 0) and v.value is not distinct from ${value}
        and v.field = ${field} and v.spelled is not distinct from ${spelled})`

/** The values of an entry, as rows. */
const valuesOf = (row: string) =>
  `(values ${fields.map((field) => `('${field.name}', lower(${row}.${field.column}), ${spelling(field, row)})`).join(', ')})`

/** The values of an entry that are not kept yet. */
const unknown = (row: string) => `
        from ${valuesOf(row)} as f (field, value, spelled)
        where f.value is not null and not ${known('f.field', 'f.value', 'f.spelled')}`

/**
 * The time of the entry that is so many from the newest along a way: how far a search goes that no
 * index helps.
 */
const end = (name: string, found: string) => `
    create function audit_end_${name}(${parameters}) returns setof timestamptz language plpgsql stable
    ${settings} set enable_bitmapscan = off set enable_seqscan = off as $$
    begin
      return query select e.at from audit_events e where ${within} and ${found} order by e.at desc, e.id desc offset p_limit - 1 limit 1;
    end $$`

/**
 * Every value that a text may be found in, once each, with an index of its trigrams: a text that no
 * value holds is in no entry, and one that a few hold is read along the indexes of those values.
 * Written by a trigger together with the entry, so that nobody sees an entry whose values are not
 * there. Two who write a new value at once may both leave it, and neither waits for the other:
 * there is no unique index. What was there before is filled in by a job, newest entries first;
 * until it is done, searches go without.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table audit_values (
      field text not null check (field in ('action', 'name', 'actor', 'tenant')),
      value text not null,
      spelled text
    )`.execute(db)
  await sql`create index audit_values_key on audit_values (hashtextextended(value, 0))`.execute(db)
  await sql`create index audit_values_text on audit_values using gin (value gin_trgm_ops)`.execute(
    db,
  )
  // All entries older than this one are still to be filled in.
  await sql`
    create table audit_values_fill (
      only_row boolean primary key default true check (only_row),
      at timestamptz not null,
      id uuid not null,
      done boolean not null
    )`.execute(db)
  await keepValues(db)
  await sql.raw(fillValues).execute(db)
  await sql`revoke all on function audit_fill_values(integer) from public`.execute(db)
  await sql`grant execute on function audit_fill_values(integer) to atrium_app`.execute(db)
  await sql.raw(lookUp).execute(db)
  await sql.raw(findValues).execute(db)
  for (const [name, found] of Object.entries(walks)) await sql.raw(end(name, found)).execute(db)
  await sql.raw(frequencies).execute(db)
  await sql`grant select on audit_values, audit_values_fill to atrium_app`.execute(db)
  // Last, because writers wait from here on. The trigger waited for those who were at it, so no
  // entry is written without its values any more.
  await sql.raw(noteValues).execute(db)
  await sql`revoke all on function audit_note_values() from public`.execute(db)
  await sql`create trigger audit_note_values before insert on audit_events for each row execute function audit_note_values()`.execute(
    db,
  )
  await sql`
    insert into audit_values_fill (at, id, done)
      values ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', not exists (select from audit_events))`.execute(
    db,
  )
}

/**
 * Values are neither changed nor taken away one by one. Emptying the table begins the fill anew, so
 * that no entry is lost to searches.
 */
async function keepValues(db: Kysely<never>): Promise<void> {
  await sql`create trigger audit_refuse before update or delete on audit_values for each row execute function audit_refuse()`.execute(
    db,
  )
  await sql`
    create function audit_values_emptied() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      update audit_values_fill set at = 'infinity', id = 'ffffffff-ffff-ffff-ffff-ffffffffffff', done = false;
      return null;
    end $$`.execute(db)
  await sql`revoke all on function audit_values_emptied() from public`.execute(db)
  await sql`
    create trigger audit_values_emptied after truncate on audit_values for each statement execute function audit_values_emptied()`.execute(
    db,
  )
}

// The settings: a plan that was made while the table was small must not read all of it later, nor
// one be made for each entry; and the list of values that are not in the index of trigrams yet,
// which every search goes through, has to stay short. Nearly always nothing is new, and to look for
// that costs less than an insert that finds nothing to do.
const noteValues = `
    create function audit_note_values() returns trigger language plpgsql security definer set search_path = public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
    set gin_pending_list_limit = '64kB' as $$
    begin
      if exists (select${unknown('new')}) then
        insert into audit_values select f.field, f.value, f.spelled${unknown('new')};
      end if;
      return new;
    end $$`

/**
 * Fills in the values of the next entries; answers whether that was all. The plan of its first
 * step, made while no value was there, is that of all others: it must look each value up by its
 * key.
 */
const fillValues = `
    create function audit_fill_values(p_entries integer) returns boolean language plpgsql security definer set search_path = public, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set gin_pending_list_limit = '4MB' as $$
    declare
      state audit_values_fill;
      reached record;
    begin
      select * into state from audit_values_fill for update;
      if state.done then return true; end if;
      with batch as materialized (
        select e.at, e.id, e.action, e.resource_name, e.actor_email, e.tenant_slug from audit_events e
        where e.at <= state.at and (e.at, e.id) < (state.at, state.id) order by e.at desc, e.id desc limit p_entries
      ), fresh as (
        select distinct t.field, t.value, t.spelled from batch b cross join lateral ${valuesOf('b')} as t (field, value, spelled)
        where t.value is not null
      ), noted as (
        insert into audit_values select f.field, f.value, f.spelled from fresh f where not ${known('f.field', 'f.value', 'f.spelled')}
      )
      select b.at, b.id, count(*) over () as entries into reached from batch b order by b.at, b.id limit 1;
      update audit_values_fill set at = coalesce(reached.at, state.at), id = coalesce(reached.id, state.id),
        done = coalesce(reached.entries, 0) < p_entries;
      if coalesce(reached.entries, 0) < p_entries then perform gin_clean_pending_list('audit_values_text'); end if;
      return coalesce(reached.entries, 0) < p_entries;
    end $$`

/**
 * At most `p_most` values that hold a text, as the indexes of the log know them. The probes are two
 * parts of the text, by which the index is asked: it takes longer to bring all trigrams of a long
 * text together than to compare what has four of them. Volatile, so that each statement sees what
 * is there when it begins: whether the values are complete is asked after they were read, since who
 * empties them waits for readers.
 */
const lookUp = `
    create function audit_look_up(p_needle text, p_first text, p_second text, p_most integer) returns table (ready boolean, field text[], value text[])
    language plpgsql volatile ${settings} set enable_seqscan = off as $$
    declare
      fields text[];
      texts text[];
    begin
      select array_agg(h.field), array_agg(coalesce(h.spelled, h.value)) into fields, texts
        from (select v.* from audit_values v where v.value like p_first and v.value like p_second and v.value || '' like p_needle limit p_most) as h;
      return query select s.done and exists (
          select from pg_index i where i.indexrelid = to_regclass('audit_events_name') and i.indisvalid), fields, texts
        from audit_values_fill s;
    end $$`

/**
 * Entries of a few values: all are fetched and sorted. The time is asked in a form that no index
 * takes, because the planner, which does not know how rare the values are, would else read all
 * entries of the span.
 */
const findValues = `
    create function audit_find_values(${parameters}, p_actors text[], p_names text[], p_tenants text[])
    returns setof audit_events language plpgsql stable ${settings} set enable_indexscan = off set enable_seqscan = off as $$
    declare
      needle text := lower(p_pattern);
      hashes bigint[] := array(select hashtextextended(n, 0) from unnest(p_names) n);
    begin
      return query select e.* from audit_events e where e.at + interval '0' >= p_since and e.at + interval '0' < p_until
        and (e.at + interval '0', e.id) < (p_at, p_id) and (e.tenant_slug = any (p_tenants) or lower(e.actor_email) = any (p_actors)
          or hashtextextended(lower(e.resource_name), 0) = any (hashes))
        and ${Object.values(filters).join(' and ')}
        order by (e.at + interval '0') desc, e.id desc limit p_limit;
    end $$`

/** As in migration 0023, and of names too. */
const frequencies = `
    create or replace function audit_frequencies()
      returns table (name text, entries real, distinct_values real, common_values text[], frequencies real[])
      language sql stable security definer set search_path = public, pg_temp as $$
      select distinct on (s.attname) s.attname::text, c.reltuples, s.n_distinct, s.most_common_vals::text::text[], s.most_common_freqs
      from pg_stats s join pg_class c on c.relname = s.tablename and c.relnamespace = 'public'::regnamespace
      where s.schemaname = 'public' and (c.oid = 'audit_events'::regclass
          or c.oid in (select i.inhrelid from pg_inherits i where i.inhparent = 'audit_events'::regclass))
        and s.attname in ('tenant_slug', 'partner_slug', 'actor_email', 'outcome', 'action', 'resource_name')
      order by s.attname, s.inherited desc, c.reltuples desc $$`
