import { type Kysely, sql } from 'kysely'

/**
 * How the functions of migrations 0023 and 0025 are planned, which with ten million entries went
 * wrong twice. The planner took two helpers for twenty rows that three look-ups find: to start them
 * took 30 ms, the search 1 ms. And it narrowed a month's trigrams by the index of the time, all
 * 400,000 entries of that month, because it does not know what span is asked: 33 ms besides 7. Dear
 * entries of a tree keep it away from that; the trigrams' index has no tree, and what it finds is
 * little.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    do $$
    declare search regprocedure;
    begin
      for search in select p.oid::regprocedure from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proname ~ '^audit_(walk|find|end)_|^audit_look_up$'
      loop
        execute format('alter function %s set max_parallel_workers_per_gather = 0', search);
      end loop;
    end $$`.execute(db)
  await sql`
    alter function audit_find_text(timestamptz, timestamptz, timestamptz, uuid, text, text, text, text, text, text, text, integer)
      set cpu_index_tuple_cost = 100`.execute(db)
}
