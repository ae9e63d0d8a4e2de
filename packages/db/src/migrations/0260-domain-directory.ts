import { type Kysely, sql } from 'kysely'

/**
 * Which tenant a proven name belongs to. The primary key makes names unique among all tenants in
 * the place of an index of `domains`, which can be distributed by tenant then. The trigger is for
 * the version before, which does not write the table; the service writes it first. Names from
 * before are entered by 0261.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table proven_domains (
      name text primary key,
      tenant_id uuid not null references tenants
    )`.execute(db)
  await sql`create index proven_domains_tenant on proven_domains (tenant_id)`.execute(db)
  await sql`grant select, insert, delete on proven_domains to atrium_app`.execute(db)
  await sql`
    create function keep_proven_domain() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' and old.verified_at is not null
        and (tg_op = 'DELETE' or new.verified_at is null or new.name <> old.name) then
        delete from proven_domains where name = old.name and tenant_id = old.tenant_id;
      end if;
      if tg_op = 'DELETE' or new.verified_at is null then return null; end if;
      if tg_op = 'UPDATE' and old.verified_at is not null and new.name = old.name then return null; end if;
      insert into proven_domains (name, tenant_id) values (new.name, new.tenant_id)
        on conflict (name) do nothing;
      -- A row of another transaction is seen by the next statement.
      if not exists (select from proven_domains where name = new.name and tenant_id = new.tenant_id) then
        raise unique_violation using constraint = 'domains_proven_name',
          message = 'another tenant has proved the domain';
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger keep_proven_domain after insert or delete or update of name, verified_at on domains
      for each row execute function keep_proven_domain()`.execute(db)
}
