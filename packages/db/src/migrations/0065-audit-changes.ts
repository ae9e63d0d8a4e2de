import { type Kysely, sql } from 'kysely'
import { filters, parameters, settings, walks, within } from './0023-audit-search.ts'

/**
 * What an update changed, as its entry keeps it: `{"seats": [4, 80]}`. Its index is built beside
 * writers (online-indexes.ts), for old entries too.
 */
const changes = `(e.metadata ->> 'changes')`

/**
 * Whether the changes of an entry hold a text: all of its words, or all of them with amounts of
 * money in minor units, or a field that is shown under that text; the last two are null where the
 * text has none. Patterns in lower case.
 */
const changed = `(lower(${changes}) like all (words) or (amounts is not null and lower(${changes}) like all (amounts))
  or (fields is not null and lower(${changes}) like any (fields)))`

const taken = `${parameters}, p_words text[], p_amounts text[], p_fields text[]`
const lowered = (name: string) =>
  `${name} text[] := case when p_${name} is not null then array(select lower(t) from unnest(p_${name}) t) end;`
const variables = `needle text := lower(p_pattern); ${['words', 'amounts', 'fields'].map(lowered).join(' ')}`
const { pattern, ...values } = filters
/** As in migration 0023, and what was changed. */
const conditions = [...Object.values(values), `(${pattern} or ${changed})`].join(' and ')
const alone = 'set max_parallel_workers_per_gather = 0'
const newestFirst = 'order by e.at desc, e.id desc limit p_limit'
const sorted = `order by (e.at + interval '0') desc, e.id desc limit p_limit`

const search = (name: string, forbidden: string, query: string, more = '') => `
    create function audit_${name}(${taken}${more}) returns setof audit_events language plpgsql stable ${settings} ${alone} ${forbidden} as $$
    declare ${variables}
    begin
      return query ${query};
    end $$`

const noSorting = 'set enable_bitmapscan = off set enable_seqscan = off'
const noWalking = 'set enable_indexscan = off set enable_seqscan = off'

/**
 * Searches by text also find what an update changed. The ways along the log of migration 0023 once
 * more with three lists of patterns, and one by the index of the changes alone. The functions of
 * before stay for programs of before, and for searches without a text.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const [name, found] of Object.entries(walks)) {
    const query = `select e.* from audit_events e where ${within} and ${found} and ${conditions} ${newestFirst}`
    await sql.raw(search(`walk_${name}`, noSorting, query)).execute(db)
  }
  const newest = `select e.* from (select e.* from audit_events e where ${within} order by e.at desc, e.id desc limit 1000) as e
        where ${conditions} ${newestFirst}`
  await sql.raw(search('walk_newest', noSorting, newest)).execute(db)
  // What is of the characters of an action sorts before a tilde.
  const prefixed = `select e.* from audit_events e where ${within} and e.action ~>=~ p_prefix and e.action ~<~ (p_prefix || '~')
        and ${conditions} ${sorted}`
  await sql.raw(search('find_prefix', noWalking, prefixed)).execute(db)
  // By trigrams, of one word: it is asked twice, since the planner then takes it for rarer than any
  // span of time. Entries of a tree are made expensive, as in migration 0028, so that it does not
  // narrow them by all entries of the span.
  const probed = `select e.* from audit_events e where ${within} and ${changes} is not null and ${changes} ilike p_probe
        and ${changes} ilike (p_probe || '%') and ${changed} and ${Object.values(values).join(' and ')} ${sorted}`
  await sql
    .raw(
      search(
        'find_changes',
        `${noWalking} set cpu_index_tuple_cost = 100`,
        probed,
        ', p_probe text',
      ),
    )
    .execute(db)
}
