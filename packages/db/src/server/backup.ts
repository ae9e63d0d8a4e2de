import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { copyDataDirectory, giveTo } from './data-directory.ts'

const run = promisify(execFile)

/** What `manifest.json` beside a base backup says of it. */
export interface BackupManifest {
  label: string
  /** ISO 8601, by the server's clock. A restore can go to any moment from `finishedAt` on. */
  startedAt: string
  finishedAt: string
  /** First segment of the log that a restore needs. */
  firstSegment: string
  serverVersion: string
  files: number
  bytes: number
  /** Account that owns the data directory, and has to own a restored one. */
  owner: { uid: number; gid: number }
}

export interface BackupOptions {
  /**
   * As a superuser or a member of `pg_read_all_settings` with the right to `pg_backup_start` and
   * `pg_backup_stop`.
   */
  adminUrl: string
  /** Folder that is to hold the backup; must not exist. */
  target: string
}

/**
 * Settings, as `name=value`, with which a server copies each finished segment of its log into a
 * folder. A segment is finished after at most `everySeconds`, which is what a lost machine may
 * cost. The server's account must own the folder, which should lie on another machine's disk.
 */
export function archiveSettings(folder: string, everySeconds = 30): string[] {
  // Under another name until it is complete, so that a copy that was cut off is never taken for a
  // segment. One that is there already is replaced only by itself: after a crash the server
  // archives a segment again.
  const to = `${folder}/%f`
  const command = `if test -f "${to}"; then cmp -s "%p" "${to}"; else cp "%p" "${folder}/.%f.part" && sync "${folder}/.%f.part" && mv "${folder}/.%f.part" "${to}"; fi`
  return ['archive_mode=on', `archive_timeout=${everySeconds}s`, `archive_command=${command}`]
}

/**
 * Copies the data directory of a running server on this machine, with PostgreSQL's low-level
 * interface: for machines without `pg_basebackup` of the server's version. Work goes on meanwhile.
 * Resolves when every segment that the backup needs is in the archive. Throws when the server
 * archives nothing or keeps tables outside its data directory.
 */
export async function takeBackup({ adminUrl, target }: BackupOptions): Promise<BackupManifest> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'atrium-backup' })
  await client.connect()
  try {
    const { rows } = await client.query<{
      folder: string
      archive: string
      version: string
      outside: number
    }>(
      `select current_setting('data_directory') as folder, current_setting('archive_mode') as archive,
        current_setting('server_version') as version,
        (select count(*)::int from pg_tablespace where spcname not in ('pg_default', 'pg_global')) as outside`,
    )
    const server = rows[0]
    if (!server) throw new Error('a statement without a table answers one row')
    if (server.archive === 'off')
      throw new Error(
        'The server archives nothing (archive_mode), so a backup of it could not be restored.',
      )
    if (server.outside > 0)
      throw new Error('Some tables lie in tablespaces, which this backup does not copy.')
    const { uid, gid } = await stat(server.folder)
    const label = target.split('/').at(-1) ?? 'atrium'
    await mkdir(target, { mode: 0o700 })
    const started = await client.query<{ at: string; segment: string }>(
      `select to_json(clock_timestamp()) #>> '{}' as at, pg_walfile_name(pg_backup_start($1, fast => true)) as segment`,
      [label],
    )
    const copied = await copyDataDirectory(server.folder, join(target, 'data'), { running: true })
    const stopped = await client.query<{ at: string; labelfile: string }>(
      `select labelfile, to_json(clock_timestamp()) #>> '{}' as at from pg_backup_stop(wait_for_archive => true)`,
    )
    await writeFile(join(target, 'data', 'backup_label'), stopped.rows[0]?.labelfile ?? '', {
      mode: 0o600,
    })
    await run('sync', ['-f', target])
    const manifest: BackupManifest = {
      label,
      startedAt: started.rows[0]?.at ?? '',
      finishedAt: stopped.rows[0]?.at ?? '',
      firstSegment: started.rows[0]?.segment ?? '',
      serverVersion: server.version,
      ...copied,
      owner: { uid, gid },
    }
    // Last: a folder without it is no backup.
    await writeFile(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    return manifest
  } finally {
    await client.end()
  }
}

/** Throws when the folder holds no backup that was completed. */
export async function readManifest(backup: string): Promise<BackupManifest> {
  const text = await readFile(join(backup, 'manifest.json'), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error(`${backup} holds no complete backup.`)
  return JSON.parse(text) as BackupManifest
}

export interface RestoreOptions {
  backup: string
  archive: string
  /** Where the restored data directory is to be; must not exist or be empty. */
  dataDir: string
  /**
   * A moment with its offset, such as `2027-03-01 12:00:00.25+00`; the end of the archive when
   * absent.
   */
  until?: string | undefined
}

/**
 * Prepares a data directory that recovers to the chosen time and then accepts writes, when a server
 * of the same version is started on it. The restored server archives nothing until it is configured
 * to: two servers writing to one archive would corrupt it.
 */
export async function layOutRestore({
  backup,
  archive,
  dataDir,
  until,
}: RestoreOptions): Promise<void> {
  const { owner } = await readManifest(backup)
  const present = await readdir(dataDir).catch(() => [])
  if (present.length > 0) throw new Error(`${dataDir} is not empty.`)
  if (until !== undefined && !/^[\d\-T: .+Z]+$/.test(until))
    throw new Error(`${until} is not a moment.`)
  await copyDataDirectory(join(backup, 'data'), dataDir, { running: false })
  await mkdir(join(dataDir, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 })
  const settings = [
    `restore_command = 'cp "${archive}/%f" "%p"'`,
    "archive_mode = 'off'",
    "recovery_target_timeline = 'latest'",
    ...(until === undefined
      ? []
      : [`recovery_target_time = '${until}'`, "recovery_target_action = 'promote'"]),
  ]
  const file = join(dataDir, 'postgresql.auto.conf')
  const before = await readFile(file, 'utf8').catch(() => '')
  await writeFile(file, `${before}${settings.join('\n')}\n`, { mode: 0o600 })
  await writeFile(join(dataDir, 'recovery.signal'), '', { mode: 0o600 })
  await chmod(dataDir, 0o700)
  if (process.getuid?.() === 0) await giveTo(dataDir, owner)
}

/** Resolves once the server takes writes. Throws after `withinSeconds`. */
export async function untilRestored(adminUrl: string, withinSeconds: number): Promise<void> {
  const end = performance.now() + withinSeconds * 1000
  while (performance.now() < end) {
    if (await takesWrites(adminUrl)) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`The restored server takes no writes after ${withinSeconds} s.`)
}

async function takesWrites(adminUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ restoring: boolean }>(
      'select pg_is_in_recovery() as restoring',
    )
    return rows[0]?.restoring === false
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Removes all but the newest `keep` backups of a folder, and the segments that none of those kept
 * needs. Returns the names of what went.
 */
export async function pruneBackups(
  folder: string,
  archive: string,
  keep: number,
): Promise<string[]> {
  if (keep < 1) throw new Error('At least one backup has to be kept.')
  const complete: { name: string; manifest: BackupManifest }[] = []
  for (const name of await readdir(folder)) {
    const manifest = await readManifest(join(folder, name)).catch(() => undefined)
    if (manifest) complete.push({ name, manifest })
  }
  complete.sort((a, b) => b.manifest.startedAt.localeCompare(a.manifest.startedAt))
  const old = complete.slice(keep).map(({ name }) => name)
  for (const name of old) await rm(join(folder, name), { recursive: true })
  const oldest = complete.slice(0, keep).at(-1)?.manifest.firstSegment
  const segments =
    oldest === undefined ? [] : (await readdir(archive)).filter((name) => isBefore(name, oldest))
  for (const name of segments) await rm(join(archive, name))
  return [...old, ...segments]
}

/**
 * By place in the log, whatever the timeline: a segment's name is 8 digits of timeline and 16 of
 * place.
 */
function isBefore(name: string, segment: string): boolean {
  return (
    /^[0-9A-F]{24}(\.[0-9A-F]{8}\.backup)?$/.test(name) && name.slice(8, 24) < segment.slice(8, 24)
  )
}
