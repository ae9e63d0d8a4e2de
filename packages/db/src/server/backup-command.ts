import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { layOutRestore, pruneBackups, readManifest, takeBackup } from './backup.ts'

const usage = `node packages/db/src/server/backup-command.ts take --folder BACKUPS
node packages/db/src/server/backup-command.ts restore --backup BACKUPS/NAME --archive ARCHIVE --data NEW_DATA_DIRECTORY [--until '2027-03-01 12:00:00+00']
node packages/db/src/server/backup-command.ts prune --folder BACKUPS --archive ARCHIVE --keep 7

take connects with DATABASE_ADMIN_URL and runs on the machine of the server, as an account that may read its data directory.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string' },
    archive: { type: 'string' },
    backup: { type: 'string' },
    data: { type: 'string' },
    until: { type: 'string' },
    keep: { type: 'string' },
  },
})

try {
  if (!(await carryOut())) {
    process.stderr.write(usage)
    process.exitCode = 64
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function carryOut(): Promise<boolean> {
  const { folder, archive, backup, data, until, keep } = values
  const [act] = positionals
  if (act === 'take' && folder) {
    const adminUrl = process.env.DATABASE_ADMIN_URL
    if (!adminUrl) throw new Error('DATABASE_ADMIN_URL: missing')
    const target = join(folder, new Date().toISOString().replaceAll(':', '').slice(0, 17))
    const { files, bytes, firstSegment } = await takeBackup({ adminUrl, target })
    process.stdout.write(
      `${target}: ${files} files, ${Math.round(bytes / 1e6)} MB, needs the log from ${firstSegment} on\n`,
    )
    return true
  }
  if (act === 'restore' && backup && archive && data) {
    const { serverVersion, finishedAt } = await readManifest(backup)
    await layOutRestore({ backup, archive, dataDir: data, until })
    process.stdout.write(
      `${data} is laid out. Start PostgreSQL ${serverVersion} on it: it goes on from ${finishedAt} to ${until ?? 'the end of the archive'}, and takes writes then.\n`,
    )
    return true
  }
  if (act === 'prune' && folder && archive && keep && /^\d+$/.test(keep)) {
    const gone = await pruneBackups(folder, archive, Number(keep))
    process.stdout.write(`removed ${gone.length === 0 ? 'nothing' : gone.join(', ')}\n`)
    return true
  }
  return false
}
