import { type Kysely, sql } from 'kysely'

/**
 * Claims of a tenant that proved a domain to addresses on it whose identities it did not create.
 * `link_hash`: SHA-256 of the token mailed to the address; `held_at`: an operator has to decide;
 * `moved_at`: the person proved the address, and the new identity is being created. `new_email`
 * with `new_hash` and `new_expires_at`: the address that the person wants in its place and that is
 * not confirmed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table address_claims (
      tenant_id uuid not null references tenants on delete cascade,
      user_id uuid not null references users on delete cascade,
      email text not null,
      started_at timestamptz not null default now(),
      ends_at timestamptz not null,
      next_at timestamptz not null,
      link_hash bytea unique,
      held_at timestamptz,
      moved_at timestamptz,
      new_email text,
      new_hash bytea,
      new_expires_at timestamptz,
      primary key (tenant_id, user_id)
    )`.execute(db)
  await sql`create index address_claims_user on address_claims (user_id)`.execute(db)
  await sql`create index address_claims_next on address_claims (next_at)`.execute(db)
  await sql`grant select, insert, update, delete on address_claims to atrium_app`.execute(db)
}
