import { type Kysely, sql } from 'kysely'

/**
 * Limits that an operator set for one tenant. A limit without a row here has the number of the
 * installation.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table tenant_limits (
      tenant_id uuid not null references tenants on delete cascade,
      name text not null,
      most integer not null check (most >= 0),
      changed_at timestamptz not null default now(),
      primary key (tenant_id, name)
    )`.execute(db)
  await sql`grant select, insert, update, delete on tenant_limits to atrium_app`.execute(db)
}
