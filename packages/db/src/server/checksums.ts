import pg from 'pg'

export interface TableChecksum {
  rows: string
  /** Of all rows, whatever their order. */
  checksum: string
}

/** What a database holds at one moment. */
export interface Moment {
  /**
   * By the server's clock, to the microsecond. A restore to it gets exactly the transactions that
   * are in `tables`.
   */
  at: string
  tables: Record<string, TableChecksum>
}

/**
 * Chooses a moment while writes go on: keeps writers out for some milliseconds, in which the clock
 * is read and a snapshot is taken, and sums all durable tables up in that snapshot afterwards. A
 * lock that is not to be had within 300 ms is given up, before the server would look for a
 * deadlock, and retried. `adminUrl` names the database.
 */
export async function markMoment(adminUrl: string): Promise<Moment> {
  const locking = new pg.Client({ connectionString: adminUrl })
  const reading = new pg.Client({ connectionString: adminUrl })
  await locking.connect()
  await reading.connect()
  try {
    const tables = await durableTables(reading)
    const { at, snapshot } = await lockOut(locking, tables)
    await reading.query('begin isolation level repeatable read read only')
    await reading.query(`set transaction snapshot ${pg.escapeLiteral(snapshot)}`)
    await locking.query('commit')
    return { at, tables: await sumUp(reading, tables) }
  } finally {
    await locking.end()
    await reading.end()
  }
}

/** The same for a database without writers. */
export async function checksumsOf(adminUrl: string): Promise<Record<string, TableChecksum>> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await sumUp(client, await durableTables(client))
  } finally {
    await client.end()
  }
}

/** Unlogged tables are empty after a restore, and hold counters only. */
async function durableTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname not in ('pg_catalog', 'information_schema') order by 1`)
  return rows.map(({ name }) => name)
}

async function lockOut(
  client: pg.Client,
  tables: readonly string[],
): Promise<{ at: string; snapshot: string }> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(
        `begin isolation level repeatable read; set local lock_timeout = '300ms'; lock table ${tables.join(', ')} in share mode`,
      )
      const { rows } = await client.query<{ at: string; snapshot: string }>(
        'select clock_timestamp()::text as at, pg_export_snapshot() as snapshot',
      )
      if (!rows[0]) throw new Error('the statement returned no row')
      return rows[0]
    } catch (error) {
      await client.query('rollback')
      if (attempt === 50 || !(error instanceof pg.DatabaseError && error.code === '55P03'))
        throw error
      await new Promise((done) => setTimeout(done, 20 * attempt))
    }
  }
}

async function sumUp(
  client: pg.Client,
  tables: readonly string[],
): Promise<Record<string, TableChecksum>> {
  const sums: Record<string, TableChecksum> = {}
  for (const table of tables) {
    const { rows } = await client.query<TableChecksum>(
      `select count(*)::text as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as checksum from ${table} t`,
    )
    if (rows[0]) sums[table] = rows[0]
  }
  return sums
}
