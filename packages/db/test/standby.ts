import { chown, copyFile, lchown, mkdir, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type EmbeddedServer, startEmbeddedServer } from '../src/embedded.ts'

export interface StandbyOptions {
  /** The server that is followed, and where its data lies. */
  primary: { adminUrl: string; dataDir: string }
  /** Must not exist yet. */
  dataDir: string
  port: number
  /** Its name in `pg_stat_replication`, of its replication slot, and for `synchronous_standby_names`. */
  name: string
  settings?: readonly string[]
}

/**
 * A server that follows another one by streaming replication and can be read from. The server from npm has no `pg_basebackup`; this is
 * what that program does (PostgreSQL, Making a Base Backup Using the Low Level API): the files are copied between `pg_backup_start` and
 * `pg_backup_stop`, while a replication slot keeps the log that the copy needs.
 */
export async function startStandby({ primary, dataDir, port, name, settings = [] }: StandbyOptions): Promise<EmbeddedServer> {
  const client = new pg.Client({ connectionString: primary.adminUrl })
  await client.connect()
  try {
    await client.query('select pg_create_physical_replication_slot($1, true)', [name])
    await client.query('select pg_backup_start($1, true)', [name])
    await copyData(primary.dataDir, dataDir)
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeOwned(dataDir, 'backup_label', rows[0]?.labelfile ?? '')
    await writeOwned(dataDir, 'standby.signal', '')
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

/** What a copy must not have, or makes anew: the lock of the running server, its log, its slots, and what only lives with it. */
const leftOut = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
])
const madeAnew = [
  'pg_wal',
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
]

async function copyData(from: string, to: string): Promise<void> {
  await copyFolder(from, to, leftOut)
  for (const folder of madeAnew) await makeFolder(join(to, folder), await stat(from))
}

async function copyFolder(from: string, to: string, without: ReadonlySet<string> = new Set()): Promise<void> {
  await makeFolder(to, await stat(from))
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (without.has(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    else await copyOne(source, target, entry.isSymbolicLink()).catch(ignoreVanished)
  }
}

async function copyOne(source: string, target: string, link: boolean): Promise<void> {
  if (link) {
    const { uid, gid } = await stat(source)
    await symlink(await readlink(source), target)
    await lchown(target, uid, gid)
    return
  }
  const { uid, gid } = await stat(source)
  await copyFile(source, target)
  await chown(target, uid, gid)
}

/** A file may go while the server works; the log tells the copy so. */
function ignoreVanished(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

async function makeFolder(path: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await mkdir(path, { mode: 0o700, recursive: true })
  await chown(path, uid, gid)
}

async function writeOwned(dataDir: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(dataDir)
  await writeFile(join(dataDir, name), text, { mode: 0o600 })
  await chown(join(dataDir, name), uid, gid)
}
