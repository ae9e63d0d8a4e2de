import { type Kysely, sql } from 'kysely'

/**
 * The optional hash chain of the audit log: every entry of a tenant carries the hash of the one
 * before it and its own, so that a change, a gap or a missing end shows. Written by a trigger with
 * the owner's rights, when the inserting statement asks for it; the API can neither choose a hash
 * nor touch the heads.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table audit_events add column chain text, add column chain_seq bigint`.execute(db)
  await sql`create index audit_events_chain on audit_events (chain, chain_seq) where chain is not null`.execute(
    db,
  )
  await sql`create table audit_chain_heads (chain text primary key, seq bigint not null, hash text not null)`.execute(
    db,
  )
  await sql`
    create function audit_chain_of(tenant_slug text, partner_slug text) returns text language sql immutable as $$
      select coalesce('tenant:' || tenant_slug, 'partner:' || partner_slug, 'platform') $$`.execute(
    db,
  )
  await sql`
    create function audit_chain_start(chain text) returns text language sql immutable as $$
      select encode(sha256(convert_to(chain, 'UTF8')), 'hex') $$`.execute(db)
  await sql`
    create function audit_chain_hash(e audit_events) returns text language sql stable as $$
      select encode(sha256(convert_to(e.prev_hash || json_build_array(1, e.chain, e.chain_seq, e.id,
        to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.actor_type, e.actor_id, e.actor_email, host(e.actor_ip), e.action,
        e.outcome, e.resource_type, e.resource_id, e.resource_name, e.tenant_slug, e.partner_slug, e.source, e.metadata::text)::text,
        'UTF8')), 'hex') $$`.execute(db)
  await sql`
    create function audit_chain_link() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      head audit_chain_heads;
    begin
      if current_setting('atrium.audit_chain', true) is distinct from 'on' then return new; end if;
      new.chain := audit_chain_of(new.tenant_slug, new.partner_slug);
      insert into audit_chain_heads values (new.chain, 0, audit_chain_start(new.chain)) on conflict do nothing;
      select * into head from audit_chain_heads h where h.chain = new.chain for update;
      new.chain_seq := head.seq + 1;
      new.prev_hash := head.hash;
      new.hash := audit_chain_hash(new);
      update audit_chain_heads h set seq = new.chain_seq, hash = new.hash where h.chain = new.chain;
      return new;
    end $$`.execute(db)
  await sql`create trigger audit_chain_link before insert on audit_events for each row execute function audit_chain_link()`.execute(
    db,
  )

  // At most one row: the first that is not as it was written, or null where the chain holds.
  await sql`
    create function audit_chain_verify(wanted text)
      returns table (checked bigint, bad_seq bigint, bad_id uuid, bad_at timestamptz, reason text) language sql stable as $$
      with linked as (
        select e.chain_seq as seq, e.id, e.at, e.hash, e.prev_hash, audit_chain_hash(e) as right_hash,
          lag(e.hash) over w as last_hash, lag(e.chain_seq) over w as last_seq
        from audit_events e where e.chain = wanted window w as (order by e.chain_seq)
      ), judged as (
        select seq, id, at, case
            when prev_hash is distinct from coalesce(last_hash, audit_chain_start(wanted)) or seq <> coalesce(last_seq, 0) + 1 then 'gap'
            when hash is distinct from right_hash then 'changed'
          end as reason
        from linked
      ), last as (select seq, hash from linked order by seq desc limit 1)
      select (select count(*) from judged), bad.seq, bad.id, bad.at, bad.reason
      from (select 1) one left join lateral (
        select * from (
          (select seq, id, at, judged.reason from judged where judged.reason is not null order by seq limit 1)
          union all
          select h.seq, null::uuid, null::timestamptz, 'end_missing' from audit_chain_heads h
            where h.chain = wanted and h.hash is distinct from coalesce((select l.hash from last l), audit_chain_start(wanted))
        ) found order by found.seq limit 1
      ) bad on true $$`.execute(db)
  await sql`revoke all on function audit_chain_link() from public`.execute(db)
  await sql`grant select on audit_chain_heads to atrium_app`.execute(db)
}
