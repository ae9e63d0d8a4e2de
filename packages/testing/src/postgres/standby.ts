import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDataDirectory, giveTo } from '@atrium/db/server/data-directory'
import { type EmbeddedServer, startEmbeddedServer } from '@atrium/db/server/embedded'
import pg from 'pg'

export interface StandbyOptions {
  /** The server that is followed, and where its data lies. */
  primary: { adminUrl: string; dataDir: string }
  /** Must not exist yet. */
  dataDir: string
  port: number
  /**
   * Its name in `pg_stat_replication`, of its replication slot, and for
   * `synchronous_standby_names`.
   */
  name: string
  settings?: readonly string[]
}

/**
 * A server that follows another one by streaming replication and can be read from. The server from
 * npm has no `pg_basebackup`; this is what that program does (PostgreSQL, Making a Base Backup
 * Using the Low Level API): the files are copied between `pg_backup_start` and `pg_backup_stop`,
 * while a replication slot keeps the log that the copy needs.
 */
export async function startStandby({
  primary,
  dataDir,
  port,
  name,
  settings = [],
}: StandbyOptions): Promise<EmbeddedServer> {
  const client = new pg.Client({ connectionString: primary.adminUrl })
  await client.connect()
  try {
    await client.query('select pg_create_physical_replication_slot($1, true)', [name])
    await client.query('select pg_backup_start($1, true)', [name])
    await copyDataDirectory(primary.dataDir, dataDir, { running: true })
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    )
    await writeFile(join(dataDir, 'backup_label'), rows[0]?.labelfile ?? '', { mode: 0o600 })
    await writeFile(join(dataDir, 'standby.signal'), '', { mode: 0o600 })
    if (process.getuid?.() === 0) await giveTo(dataDir, await stat(primary.dataDir))
  } finally {
    await client.end()
  }
  const followed = new URL(primary.adminUrl)
  return startEmbeddedServer({
    dataDir,
    port,
    settings: [
      ...settings,
      `primary_conninfo=host=${followed.hostname} port=${followed.port} user=${followed.username} application_name=${name}`,
      `primary_slot_name=${name}`,
    ],
  })
}
