import { type Kysely, sql } from 'kysely'

export const parameters = `p_since timestamptz, p_until timestamptz, p_at timestamptz, p_id uuid, p_tenant text, p_partner text, p_actor text,
  p_outcome text, p_action text, p_prefix text, p_pattern text, p_limit integer`

/** All that an entry was, in the words of the index on it (migration 0003). */
const text = `(coalesce(e.action, '') || ' ' || coalesce(e.resource_name, '') || ' ' || coalesce(e.actor_email, '') || ' ' || coalesce(e.tenant_slug, ''))`

// In the order in which a walk asks: what is cheap first. A text is looked for in all four at once
// before it is in each; `ilike` would lower the pattern anew for every entry.
export const filters = {
  tenant: '(p_tenant is null or e.tenant_slug = p_tenant)',
  partner: '(p_partner is null or e.partner_slug = p_partner)',
  outcome: '(p_outcome is null or e.outcome = p_outcome)',
  action: '(p_action is null or e.action = p_action)',
  prefix: '(p_prefix is null or starts_with(e.action, p_prefix))',
  actor: '(p_actor is null or lower(e.actor_email) = p_actor)',
  pattern: `(needle is null or (lower(${text}) like needle and (lower(e.action) like needle or lower(e.resource_name) like needle
    or lower(e.actor_email) like needle or lower(e.tenant_slug) like needle)))`,
} as const

/**
 * The condition by which each walk finds its entries, in the form that its index takes; all other
 * conditions are asked of what it finds.
 */
export const walks: Readonly<Record<string, string>> = {
  time: 'true',
  tenant: 'e.tenant_slug = p_tenant',
  partner: 'e.partner_slug = p_partner',
  actor: 'lower(e.actor_email) = p_actor',
  refused: `e.outcome = p_outcome and e.outcome <> 'success'`,
  action: 'e.action = p_action',
}

export const within = `e.at >= p_since and e.at < p_until and (e.at, e.id) < (p_at, p_id)`
export const settings = 'set jit = off set plan_cache_mode = force_generic_plan'

function walk(name: string, found: string): string {
  return `create function audit_walk_${name}(${parameters}) returns setof audit_events language plpgsql stable
    ${settings} set enable_bitmapscan = off set enable_seqscan = off as $$
    declare needle text := lower(p_pattern);
    begin
      return query select e.* from audit_events e where ${within} and ${found} and ${Object.values(filters).join(' and ')}
        order by e.at desc, e.id desc limit p_limit;
    end $$`
}

/**
 * By an index that knows no time: every match of the span is found and sorted, so the span has to
 * be one that holds few.
 */
const finds: Readonly<Record<string, string>> = {
  // Said twice, since the planner then takes it for rarer than any span of time and does not read
  // the span's entries from another index.
  text: `${text} ilike p_pattern and ${text} ilike (p_pattern || '%')`,
  // What is of the characters of an action sorts before a tilde.
  prefix: `e.action ~>=~ p_prefix and e.action ~<~ (p_prefix || '~')`,
}

function find(name: string, found: string): string {
  // The sum keeps the planner from walking along the time instead.
  return `create function audit_find_${name}(${parameters}) returns setof audit_events language plpgsql stable
    ${settings} set enable_indexscan = off set enable_seqscan = off as $$
    declare needle text := lower(p_pattern);
    begin
      return query select e.* from audit_events e where ${within} and ${found} and ${Object.values(filters).join(' and ')}
        order by (e.at + interval '0') desc, e.id desc limit p_limit;
    end $$`
}

/** What the newest 1,000 entries of the span hold: for what is common, all that is needed. */
const newest = `create function audit_walk_newest(${parameters}) returns setof audit_events language plpgsql stable
  ${settings} set enable_bitmapscan = off set enable_seqscan = off as $$
  declare needle text := lower(p_pattern);
  begin
    return query select e.* from (select e.* from audit_events e where ${within} order by e.at desc, e.id desc limit 1000) as e
      where ${Object.values(filters).join(' and ')} order by e.at desc, e.id desc limit p_limit;
  end $$`

/**
 * Ways through the audit log, one function each: newest first along one index, with everything else
 * as a filter. Which of them is taken is decided by who asks
 * (packages/db/src/audit/audit-search.ts), because the planner, which knows neither values nor
 * limit, at times sorts half a million entries of a large tenant, or walks ten million for a rare
 * word. A function keeps its plan in the session, so that nobody plans two dozen partitions with
 * every page.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const [name, found] of Object.entries(walks)) await sql.raw(walk(name, found)).execute(db)
  for (const [name, found] of Object.entries(finds)) await sql.raw(find(name, found)).execute(db)
  await sql.raw(newest).execute(db)
  // How often the commonest values of each column are: of all partitions where those were counted
  // together, else of the largest one. With the owner's rights, since what is known of a partition
  // is shown only to who may read it by its own name.
  await sql`
    create function audit_frequencies()
      returns table (name text, entries real, distinct_values real, common_values text[], frequencies real[])
      language sql stable security definer set search_path = public, pg_temp as $$
      select distinct on (s.attname) s.attname::text, c.reltuples, s.n_distinct, s.most_common_vals::text::text[], s.most_common_freqs
      from pg_stats s join pg_class c on c.relname = s.tablename and c.relnamespace = 'public'::regnamespace
      where s.schemaname = 'public' and (c.oid = 'audit_events'::regclass
          or c.oid in (select i.inhrelid from pg_inherits i where i.inhparent = 'audit_events'::regclass))
        and s.attname in ('tenant_slug', 'partner_slug', 'actor_email', 'outcome', 'action')
      order by s.attname, s.inherited desc, c.reltuples desc $$`.execute(db)
  await sql`revoke execute on function audit_frequencies() from public`.execute(db)
  await sql`grant execute on function audit_frequencies() to atrium_app`.execute(db)
}
