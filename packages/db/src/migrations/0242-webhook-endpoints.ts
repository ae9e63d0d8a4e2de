import { type Kysely, sql } from 'kysely'

/**
 * Where events are delivered to. `cursor`: the last event that was delivered or given up, as
 * `transaction_id-sequence`; each endpoint has its own, so none waits for another. `due_at`: when
 * the endpoint is looked at; null while there is nothing new for it. `wakes` counts what was new,
 * so that what comes between the last look and its end is not forgotten. `run` and `lease_until`:
 * the process that delivers. `event_dispatch` holds the last event whose endpoints were made due.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table webhook_endpoints (
      id uuid primary key default new_id(),
      kind text not null check (kind in ('tenant', 'partner', 'platform')),
      tenant_id uuid references tenants,
      partner_id uuid references partners,
      url text not null,
      description text not null,
      types text[] not null,
      secret bytea not null,
      previous_secret bytea,
      previous_ends_at timestamptz,
      created_by uuid,
      created_at timestamptz not null,
      cursor text not null,
      disabled_at timestamptz,
      disabled_reason text check (disabled_reason in ('person', 'failing')),
      failing_since timestamptz,
      attempts smallint not null default 0,
      due_at timestamptz,
      wakes bigint not null default 0,
      run uuid,
      lease_until timestamptz,
      check ((kind = 'tenant') = (tenant_id is not null)),
      check ((kind = 'partner') = (partner_id is not null)),
      check ((previous_secret is null) = (previous_ends_at is null)),
      check ((disabled_at is null) = (disabled_reason is null))
    )`.execute(db)
  await sql`create index webhook_endpoints_of_tenant on webhook_endpoints (tenant_id, id) where tenant_id is not null`.execute(
    db,
  )
  await sql`create index webhook_endpoints_of_partner on webhook_endpoints (partner_id, id) where partner_id is not null`.execute(
    db,
  )
  await sql`create index webhook_endpoints_of_platform on webhook_endpoints (id) where kind = 'platform'`.execute(
    db,
  )
  await sql`create index webhook_endpoints_due on webhook_endpoints (due_at) where disabled_at is null and due_at is not null`.execute(
    db,
  )
  await sql`
    create table webhook_deliveries (
      id uuid primary key default new_id(),
      endpoint_id uuid not null references webhook_endpoints on delete cascade,
      event_id uuid not null,
      event_type text not null,
      kind text not null check (kind in ('event', 'replay', 'test')),
      attempt smallint not null,
      at timestamptz not null,
      milliseconds integer not null,
      status smallint,
      error text,
      request text not null,
      response text
    )`.execute(db)
  await sql`create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, id desc)`.execute(
    db,
  )
  await sql`create index webhook_deliveries_at on webhook_deliveries (at)`.execute(db)
  await sql`
    create table event_dispatch (
      one boolean primary key default true check (one),
      cursor text not null
    )`.execute(db)
  await sql`insert into event_dispatch (cursor) values ('0-0')`.execute(db)
  await sql`grant select, insert, update, delete on webhook_endpoints, webhook_deliveries to atrium_app`.execute(
    db,
  )
  await sql`grant select, update on event_dispatch to atrium_app`.execute(db)
}
