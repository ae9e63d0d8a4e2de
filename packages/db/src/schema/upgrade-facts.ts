import pg from 'pg'

/** What matters before the migrations of a new version are applied. */
export interface UpgradeFacts {
  serverVersion: string
  /** Names of the applied migrations, oldest first; empty before the first one. */
  applied: string[]
  databaseBytes: number
  /** The largest table with its indexes; null in an empty database. */
  largest: { name: string; bytes: number } | null
  /** Indexes whose building was interrupted. */
  invalidIndexes: string[]
  /** Transactions that are open for long, longest first. */
  longTransactions: { pid: number; application: string; seconds: number }[]
  /** Sessions of other accounts, of which this one cannot see whether a transaction is open. */
  hiddenSessions: number
}

/**
 * Reads the facts with one connection of its own; a transaction is long after `longSeconds`.
 * Rejects where the server cannot be asked.
 */
export async function readUpgradeFacts(url: string, longSeconds: number): Promise<UpgradeFacts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  const rows = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows
  try {
    const [server] = await rows<{ version: string; bytes: number; migrated: boolean }>(
      `select split_part(current_setting('server_version'), ' ', 1) as version,
        pg_database_size(current_database())::float8 as bytes,
        to_regclass('kysely_migration') is not null as migrated`,
    )
    const applied = server?.migrated
      ? await rows<{ name: string }>('select name from kysely_migration order by name')
      : []
    const [largest = null] = await rows<{ name: string; bytes: number }>(
      `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc limit 1`,
    )
    const invalid = await rows<{ name: string }>(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relkind = 'i' order by 1`,
    )
    const sessions = `from pg_stat_activity
      where datname = current_database() and usesysid is not null and pid <> pg_backend_pid()`
    const long = await rows<UpgradeFacts['longTransactions'][number]>(
      `select pid, application_name as application,
        extract(epoch from clock_timestamp() - xact_start)::float8 as seconds ${sessions}
      and xact_start < clock_timestamp() - make_interval(secs => $1) order by xact_start`,
      [longSeconds],
    )
    const [hidden] = await rows<{ count: number }>(
      `select count(*)::int as count ${sessions} and state is null`,
    )
    return {
      serverVersion: server?.version ?? '',
      applied: applied.map(({ name }) => name),
      databaseBytes: server?.bytes ?? 0,
      largest,
      invalidIndexes: invalid.map(({ name }) => name),
      longTransactions: long,
      hiddenSessions: hidden?.count ?? 0,
    }
  } finally {
    await client.end()
  }
}
