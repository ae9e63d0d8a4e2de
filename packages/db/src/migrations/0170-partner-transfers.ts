import { type Kysely, sql } from 'kysely'

/**
 * Transfer codes: an owner hands one to a partner, who takes the tenant over with it. A tenant has
 * one at most; only the SHA-256 is stored.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table partner_transfers (
      tenant_id uuid primary key references tenants,
      code_hash bytea not null unique check (length(code_hash) = 32),
      created_by uuid references users on delete set null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index partner_transfers_created_by on partner_transfers (created_by) where created_by is not null`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on partner_transfers to atrium_app`.execute(db)
}
