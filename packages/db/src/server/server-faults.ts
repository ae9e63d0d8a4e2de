import { supportedVersions } from '@atrium/core/system/supported-versions'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Db } from '../platform/connect.ts'

export interface ServerFacts {
  /** `server_version_num`, such as 160004. */
  version: number
  /** Whether the account signed in with may do anything. */
  superuser: boolean
}

const question = `select current_setting('server_version_num')::int as version,
  coalesce((select rolsuper from pg_roles where rolname = current_user), false) as superuser`

function onlyRow(rows: readonly ServerFacts[]): ServerFacts {
  const [facts] = rows
  if (!facts) throw new Error('a select without a table returns one row')
  return facts
}

/**
 * What the server at an address says of itself and of the account there. Rejects where it cannot be
 * asked.
 */
export async function readServerFacts(url: string): Promise<ServerFacts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  return client
    .query<ServerFacts>(question)
    .then(({ rows }) => onlyRow(rows))
    .finally(() => client.end())
}

/**
 * Why the service must not run on this server, one line per fault, beginning with the variable that
 * names it. An account that may do anything is rejected where `production` says so: the audit log
 * is append-only for ordinary accounts alone.
 */
export function serverFaults(
  { version, superuser }: ServerFacts,
  variable: string,
  production: boolean,
): string[] {
  const faults: string[] = []
  const { oldest } = supportedVersions.postgresql
  const major = Math.floor(version / 10_000)
  if (major < Number(oldest))
    faults.push(`${variable}: the server is PostgreSQL ${major}; ${oldest} or newer is needed`)
  if (superuser && production)
    faults.push(`${variable}: its account is a superuser. Use one that is a member of atrium_app`)
  return faults
}

/**
 * The same of a database that is open, within `deadlineMs`. Empty where the server is away: then
 * nothing is known, and it is asked again later.
 */
export async function askServerFaults(
  db: Pick<Db, 'executeQuery'>,
  production: boolean,
  deadlineMs = 2_000,
): Promise<string[]> {
  const away = new Promise<undefined>((done) =>
    setTimeout(() => done(undefined), deadlineMs).unref(),
  )
  const requested = db
    .executeQuery<ServerFacts>(CompiledQuery.raw(question))
    .then(({ rows }) => onlyRow(rows))
  const facts = await Promise.race([requested.catch(() => undefined), away])
  return facts ? serverFaults(facts, 'DATABASE_URL', production) : []
}
