import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '@atrium/db/platform/connect'
import { type ArchiveFacts, archiveFails, readArchive } from '@atrium/db/system/account-facts'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { z } from 'zod'

const gigabyte = 1e9

/** Free space of the file systems that hold these folders. */
export function checkDisks(folders: readonly string[]): Promise<SetupFinding[]> {
  return Promise.all(folders.map(checkDisk))
}

async function checkDisk(folder: string): Promise<SetupFinding> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return diskFinding(folder, bavail * bsize, blocks * bsize)
  } catch (cause) {
    return error(`disk at ${folder}`, `could not be read (${codeOf(cause)}).`)
  }
}

/** A tenth is kept free: a database that cannot write stops. */
export function diskFinding(folder: string, free: number, size: number): SetupFinding {
  const need = `disk at ${folder} (${(free / gigabyte).toFixed(1)} GB free)`
  if (free < Math.min(gigabyte, size / 50)) return error(need, 'is full. Free space now.')
  return free < size / 10
    ? warning(need, 'has less than a tenth free. Free space or enlarge it.')
    : ok(need)
}

const longestArchiveSeconds = 3600

/** Whether the server's log is copied aside, which a restore to a moment needs. */
export async function checkArchive({ db }: Database): Promise<SetupFinding[]> {
  return [archiveFinding(await readArchive(db))]
}

/** The same of what was read. */
export function archiveFinding(facts: ArchiveFacts): SetupFinding {
  const need = 'archive of the database log'
  const { mode, archivedSecondsAgo: archived } = facts
  if (mode === 'off')
    return warning(need, 'is off: a lost machine loses everything since the last backup.')
  if (archiveFails(facts))
    return error(need, "fails. The database's own log says why; its disk fills up meanwhile.")
  if (archived === null) return warning(need, 'has not taken anything yet.')
  return archived <= longestArchiveSeconds
    ? ok(need)
    : warning(need, `took nothing for ${Math.floor(archived / 3600)} hours. Set archive_timeout.`)
}

/** A daily backup may take some hours. */
const freshHours = 26
const oldHours = 50
const Manifest = z.object({ finishedAt: z.iso.datetime() })

/**
 * The age of the newest backup of each kind that the folders know of. Files of metrics
 * (`deploy/backup/status.sh`) name their kinds and moments. In other folders it is that of the
 * newest base backup: by the manifest of `backup-command.ts`, otherwise by the newest entry.
 */
export async function checkBackups(folders: readonly string[], now: Date): Promise<SetupFinding[]> {
  const findings = folders.map((folder) =>
    readBackups(folder).then(
      (backups) => backups.map(({ need, at }) => backupFinding(need, at, now)),
      (cause) => [error(`backup in ${folder}`, `could not be read (${codeOf(cause)}).`)],
    ),
  )
  return (await Promise.all(findings)).flat()
}

/** A kind of backup, with the milliseconds at which its last one ended, or 0. */
interface BackupAge {
  need: string
  at: number
}

async function readBackups(folder: string): Promise<BackupAge[]> {
  const names = await readdir(folder)
  const metrics = names.filter((name) => name.endsWith('.prom')).sort()
  if (metrics.length === 0) {
    const times = await Promise.all(names.map((name) => finishedAt(join(folder, name))))
    return [{ need: `backup in ${folder}`, at: Math.max(0, ...times.map((at) => at ?? 0)) }]
  }
  const texts = await Promise.all(metrics.map((name) => readFile(join(folder, name), 'utf8')))
  const lines = texts
    .join('')
    .matchAll(/^backup_last_success_timestamp_seconds\{backup="([^"]+)"\} (\d+)$/gm)
  return [...lines].map(([, kind, seconds]) => ({
    need: `backup of ${kind}`,
    at: Number(seconds) * 1000,
  }))
}

/** `at` is 0 where no backup has ended. */
function backupFinding(need: string, at: number, now: Date): SetupFinding {
  if (at === 0) return error(need, 'is missing. Take one, and enable the timer.')
  const hours = Math.floor((now.getTime() - at) / 3_600_000)
  const aged = `${need} (${hours} hours old)`
  if (hours <= freshHours) return ok(aged)
  const text = 'is older than a day. Look at the log of the backup service.'
  return hours <= oldHours ? warning(aged, text) : error(aged, text)
}

/** Undefined for a backup of ours that was not completed. */
async function finishedAt(path: string): Promise<number | undefined> {
  const entry = await stat(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  const names = await readdir(path)
  if (names.includes('manifest.json')) {
    const manifest = Manifest.safeParse(
      JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')),
    )
    return manifest.success ? Date.parse(manifest.data.finishedAt) : undefined
  }
  return names.includes('data') ? undefined : entry.mtimeMs
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}
