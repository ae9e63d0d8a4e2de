import { type Kysely, sql } from 'kysely'

/**
 * Tokens of programs that act for a tenant, a partner or the platform. Only hashes of the secrets
 * are stored. After a rotation the secret before it is accepted until `previous_ends_at`.
 * `reminded_days`: how many days before the end the last reminder was. `created_by` and
 * `revoked_by` are no foreign keys: the token outlives the person's record.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table service_tokens (
      id uuid primary key default new_id(),
      kind text not null check (kind in ('tenant', 'partner', 'platform')),
      tenant_id uuid references tenants,
      partner_id uuid references partners,
      name text not null,
      scopes text[] not null,
      networks text[] not null default '{}',
      secret_hash bytea not null,
      previous_hash bytea,
      previous_ends_at timestamptz,
      created_by uuid,
      created_at timestamptz not null,
      rotated_at timestamptz,
      expires_at timestamptz not null,
      reminded_days smallint,
      last_used_at timestamptz,
      last_used_ip text,
      last_used_procedure text,
      revoked_at timestamptz,
      revoked_by uuid,
      check ((kind = 'tenant') = (tenant_id is not null)),
      check ((kind = 'partner') = (partner_id is not null)),
      check ((previous_hash is null) = (previous_ends_at is null))
    )`.execute(db)
  await sql`create index service_tokens_of_tenant on service_tokens (tenant_id, id) where tenant_id is not null`.execute(
    db,
  )
  await sql`create index service_tokens_of_partner on service_tokens (partner_id, id) where partner_id is not null`.execute(
    db,
  )
  await sql`create index service_tokens_of_platform on service_tokens (id) where kind = 'platform'`.execute(
    db,
  )
  await sql`create index service_tokens_end on service_tokens (expires_at) where revoked_at is null`.execute(
    db,
  )
  await sql`create index service_tokens_over on service_tokens (least(expires_at, revoked_at))`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on service_tokens to atrium_app`.execute(db)
}
