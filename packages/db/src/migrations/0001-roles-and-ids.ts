import { type Kysely, sql } from 'kysely'

/**
 * The group role `atrium_app` holds the rights of the API and nothing more; the account that the
 * API signs in with is a member of it. Ids are UUIDv7 (RFC 9562 section 5.7): PostgreSQL 18 makes
 * them itself, older servers by the function below.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'atrium_app') then
        create role atrium_app nologin;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`.execute(db)
  await sql`grant usage on schema public to atrium_app`.execute(db)
  await sql`
    do $$ begin
      if current_setting('server_version_num')::int >= 180000 then
        create function new_id() returns uuid language sql volatile parallel safe as 'select uuidv7()';
      else
        create function new_id() returns uuid language sql volatile parallel safe as $f$
          select encode(
            set_bit(set_bit(
              overlay(uuid_send(gen_random_uuid()) placing
                substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
              52, 1), 53, 1), 'hex')::uuid
        $f$;
      end if;
    end $$`.execute(db)
}
