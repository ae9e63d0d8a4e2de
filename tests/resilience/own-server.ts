import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbeddedServer } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'
import { createMigratedDatabase, type DatabaseAccounts } from '@atrium/db/server/provision-database'

/**
 * How a server can end: SIGINT is its fast stop, SIGQUIT the immediate one without a checkpoint,
 * SIGKILL no stop at all.
 */
export type ServerEnd = 'SIGINT' | 'SIGQUIT' | 'SIGKILL'

/**
 * A PostgreSQL server of one test's own, which it may end as it likes; the server of the run is
 * never touched.
 */
export interface OwnServer extends AsyncDisposable {
  readonly adminUrl: string
  readonly dataDir: string
  /** What it wrote to its log, over all its lives. */
  readonly log: readonly string[]
  /** A new migrated database on it. */
  newDatabase(): Promise<DatabaseAccounts>
  /** Resolves when its main process is gone. */
  end(how: ServerEnd): Promise<void>
  /** Starts it again on the same port and data, and resolves once it takes sessions. */
  start(): Promise<void>
}

/**
 * Only `fsync` is off, which matters when the machine itself fails: what was written stands in the
 * operating system's cache, which no signal to a process empties. Commits are not acknowledged
 * before they are written, as in a server for real (`synchronous_commit` stays on).
 */
export async function startOwnServer(
  options: { dataDir?: string; settings?: readonly string[] } = {},
): Promise<OwnServer> {
  const dataDir = options.dataDir ?? join(tmpdir(), `atrium-own-server-${randomUUID()}`)
  const port = await freePort()
  const log: string[] = []
  const settings = ['fsync=off', ...(options.settings ?? [])]
  const launch = () =>
    startEmbeddedServer({ dataDir, port, settings, onLog: (line) => void log.push(line) })
  let server: EmbeddedServer = await launch()
  return {
    adminUrl: server.adminUrl,
    dataDir,
    log,
    newDatabase: () =>
      createMigratedDatabase(server.adminUrl, `own_${randomUUID().replaceAll('-', '')}`),
    async end(how) {
      process.kill(server.pid, how)
      while (isThere(server.pid)) await new Promise((done) => setTimeout(done, 5))
    },
    async start() {
      // Sessions of a killed server end by themselves in a moment; until then their memory keeps
      // the next one out.
      for (let attempt = 1; ; attempt++) {
        try {
          server = await launch()
          return
        } catch (error) {
          if (attempt === 100) throw error
          await new Promise((done) => setTimeout(done, 50))
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
