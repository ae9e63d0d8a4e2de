import { type Kysely, sql } from 'kysely'

/**
 * `events_end()`: statements that begin after the call see every event of this database whose
 * transaction id is lower. `pg_snapshot_xmin` (0241) waits for the transactions of all databases of
 * the server, so that a long one of another program held all events up; this waits for those of
 * this database alone. A transaction below `next` that is not found running has ended before the
 * look at `pg_stat_activity`, and a later snapshot sees it: hence the order of the steps, and a
 * statement of its own for the reader.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create function events_end() returns xid8 language plpgsql volatile as $$
    declare
      next bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
      behind bigint;
    begin
      -- Else the transaction keeps what it saw at its first look.
      perform pg_stat_clear_snapshot();
      -- An xid has the lower 32 bits of the id; the distance of a later one is above half of them.
      select max(distance) into behind from (
        select (next - xid::text::bigint) & 4294967295 as distance from (
          select backend_xid as xid from pg_stat_activity where datname = current_database()
          union all
          select transaction from pg_prepared_xacts where database = current_database()
        ) running
      ) distances where distance < 2147483648;
      return (next - coalesce(behind, 0))::text::xid8;
    end $$`.execute(db)
  await sql`grant execute on function events_end() to atrium_app`.execute(db)
}
