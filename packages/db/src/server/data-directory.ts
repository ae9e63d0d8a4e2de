import { chown, copyFile, mkdir, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'

// Contents that a running server makes again (PostgreSQL, Continuous Archiving, Making a Base
// Backup Using the Low Level API).
const emptied: ReadonlySet<string> = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const leftOut =
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label(\.old)?|tablespace_map(\.old)?|recovery\.signal|standby\.signal)$/

/** Files and bytes that were copied, counted up. */
export interface Copied {
  files: number
  bytes: number
}

/**
 * Copies a data directory, without what a server recreates. `running`: of a running server, between
 * `pg_backup_start` and `pg_backup_stop`; files may disappear meanwhile, and the server's WAL
 * accounts for that. A backup does not change, so everything in it is copied. Tables outside of the
 * directory (tablespaces) are not.
 */
export async function copyDataDirectory(
  from: string,
  to: string,
  { running }: { running: boolean },
): Promise<Copied> {
  const copied = { files: 0, bytes: 0 }
  await copyFolder(from, to, copied, running)
  return copied
}

async function copyFolder(
  from: string,
  to: string,
  copied: Copied,
  running: boolean,
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for await (const entry of await opendir(from)) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (running && leftOut.test(entry.name)) continue
    if (entry.isDirectory()) {
      if (running && emptied.has(entry.name)) await mkdir(target, { mode: 0o700 })
      else await copyFolder(source, target, copied, running)
      continue
    }
    if (!entry.isFile()) continue
    try {
      await copyFile(source, target)
      copied.bytes += (await stat(target)).size
      copied.files++
    } catch (error) {
      if (!running || !(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        throw error
    }
  }
}

/** Gives a folder and all in it to the account that the server runs as; only root can. */
export async function giveTo(
  folder: string,
  { uid, gid }: { uid: number; gid: number },
): Promise<void> {
  await chown(folder, uid, gid)
  for await (const entry of await opendir(folder, { recursive: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
}
