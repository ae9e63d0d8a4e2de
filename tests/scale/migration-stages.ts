import {
  createDatabase,
  type DatabaseAccounts,
  dropDatabase,
} from '@atrium/db/server/provision-database'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/** A database at a migration in the middle of the list, with rows in the earlier tables. */
export interface StagedDatabase extends AsyncDisposable {
  readonly accounts: DatabaseAccounts
  /** As the account that owns the schema. */
  ask<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export async function openStagedDatabase(adminUrl: string, name: string): Promise<StagedDatabase> {
  const accounts = await createDatabase(adminUrl, name)
  const admin = new URL(adminUrl)
  admin.pathname = `/${name}`
  await query(admin.toString(), 'create extension if not exists pg_trgm')
  return {
    accounts,
    ask: (text, values) => query(accounts.ownerUrl, text, values),
    [Symbol.asyncDispose]: () => dropDatabase(adminUrl, name),
  }
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end()
  }
}

/** Rows that are there from these migrations on; all the others come to a table that is in use. */
export const seeds: Readonly<Record<string, string>> = {
  '0002-people-and-tenants': `
    insert into partners (slug, name) select 'partner-' || n, 'Partner ' || n from generate_series(1, 50) n;
    insert into users (idp_subject_id, email, name) select 'subject-' || n, 'person-' || n || '@example.test', 'Person ' || n from generate_series(1, 20000) n;
    with made as (insert into tenants (slug, name, status) select 'tenant-' || n, 'Tenant ' || n, 'active' from generate_series(1, 5000) n returning id, slug),
      owners as (insert into memberships (tenant_id, user_id, role) select m.id, u.id, 'owner' from made m
        join users u on u.idp_subject_id = 'subject-' || substr(m.slug, 8)),
      steps as (insert into provisioning_steps (tenant_id, step, state, finished_at)
        select m.id, s, 'ok', now() from made m cross join unnest(array['identity', 'mail', 'files']) s)
      insert into domains (tenant_id, name, is_primary) select id, slug || '.tenants.test', true from made`,
  '0003-audit': `
    insert into audit_events (at, actor_type, action, outcome, resource_type, tenant_slug, source)
      select now() - make_interval(secs => n), 'system', 'tenant.updated', 'success', 'tenant', 'tenant-' || (n % 5000 + 1), 'job'
      from generate_series(1, 30000) n`,
  '0010-flags': `insert into flags (key, state, note) select 'flag_' || n, 'on', 'seeded' from generate_series(1, 50) n`,
}

/** Tables of the schema with what the service may do to them. */
export function readableTables(database: StagedDatabase): Promise<{ name: string }[]> {
  return database.ask<{ name: string }>(`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and has_table_privilege('atrium_api', c.oid, 'select')
    order by c.relname`)
}

/**
 * What the version before asks of the schema: every column by name and type, and every function by
 * its arguments.
 */
export async function surfaceOf(database: StagedDatabase): Promise<ReadonlySet<string>> {
  const rows = await database.ask<{ item: string }>(`
    select format('column %s.%s %s', table_name, column_name, udt_name) as item from information_schema.columns where table_schema = 'public'
    union select format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union select format('right of the service: %s %s', privilege_type, table_name) from information_schema.role_table_grants
      where grantee = 'atrium_app' and table_schema = 'public'`)
  return new Set(rows.map(({ item }) => item))
}

/**
 * Columns that a row must bring because the table gives no value for them; new ones would reject
 * the inserts of the version before.
 */
export async function requiredColumns(database: StagedDatabase): Promise<ReadonlySet<string>> {
  const rows = await database.ask<{ item: string }>(`
    select format('%s.%s', table_name, column_name) as item from information_schema.columns
    where table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'`)
  return new Set(rows.map(({ item }) => item))
}

interface MigrationModule {
  up(db: Kysely<never>): Promise<void>
}

/** Applies one migration and returns every statement that it sent, in order. */
export async function recordStatements(
  { accounts }: StagedDatabase,
  name: string,
): Promise<string[]> {
  const statements: string[] = []
  const pool = new pg.Pool({ connectionString: accounts.ownerUrl, max: 1 })
  const db = new Kysely<never>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => void statements.push(event.query.sql),
  })
  const { up } = (await import(`@atrium/db/migrations/${name}`)) as MigrationModule
  await db.transaction().execute((trx) => up(trx as unknown as Kysely<never>))
  await db.destroy()
  return statements
}
