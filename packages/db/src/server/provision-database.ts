import pg from 'pg'
import { migrate } from '../schema/migrate.ts'

/**
 * The two accounts of a database: one that owns the schema, one that the API signs in with and that
 * may not change it.
 */
export interface DatabaseAccounts {
  ownerUrl: string
  appUrl: string
}

/**
 * For development and tests: creates the accounts `atrium_owner` and `atrium_api` and the database
 * when they are missing, and returns how to connect. `adminUrl` may create roles and databases.
 */
export async function createDatabase(
  adminUrl: string,
  name: string,
  options: { template?: string } = {},
): Promise<DatabaseAccounts> {
  await asAdmin(adminUrl, async (client) => {
    // A template was made by this function, so its accounts are there.
    if (!options.template) await ensureAccounts(client)
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount) return
    const from = options.template
      ? ` template ${pg.escapeIdentifier(options.template)} strategy file_copy`
      : ''
    await client.query(`create database ${pg.escapeIdentifier(name)} owner atrium_owner${from}`)
    // A copy does not take over the rights of its template.
    await client.query(`revoke temporary on database ${pg.escapeIdentifier(name)} from public`)
  })
  return accountsOf(adminUrl, name)
}

/** Creates the database when missing and brings it to the newest schema. */
export async function createMigratedDatabase(
  adminUrl: string,
  name: string,
): Promise<DatabaseAccounts> {
  const accounts = await createDatabase(adminUrl, name)
  await asAdmin(withDatabase(adminUrl, name), async (client) => {
    // A trusted extension, but creating it needs the right on the database, which the owner has
    // only from here on.
    await client.query('create extension if not exists pg_trgm')
  })
  await migrate(accounts.ownerUrl)
  return accounts
}

/** Ends every connection to the database and drops it. */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, (client) =>
    client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
  )
}

function accountsOf(adminUrl: string, name: string): DatabaseAccounts {
  const url = (user: string) => {
    const address = new URL(withDatabase(adminUrl, name))
    address.username = user
    address.password = localPassword
    return address.toString()
  }
  return { ownerUrl: url('atrium_owner'), appUrl: url('atrium_api') }
}

// Both accounts exist only in servers for development and tests, which listen on loopback.
const localPassword = 'atrium'

async function ensureAccounts(client: pg.Client): Promise<void> {
  // Test files may do this side by side; the lock keeps two from creating the same role.
  await client.query('select pg_advisory_lock(4021)')
  try {
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = 'atrium_owner') then
        create role atrium_owner login createrole password '${localPassword}';
      end if;
      if not exists (select from pg_roles where rolname = 'atrium_api') then
        create role atrium_api login password '${localPassword}';
      end if;
      if not exists (select from pg_roles where rolname = 'atrium_app') then
        create role atrium_app nologin;
      end if;
      grant atrium_app to atrium_api;
    end $$`)
  } finally {
    await client.query('select pg_advisory_unlock(4021)')
  }
}

function withDatabase(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.toString()
}

async function asAdmin(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
