import { chmod, mkdir } from 'node:fs/promises'
import { layOutRestore, untilRestored } from '@atrium/db/server/backup'
import { startEmbeddedServer } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'

export interface RestoredServer extends AsyncDisposable {
  readonly adminUrl: string
  /** From the first byte copied to the first write taken. */
  readonly seconds: number
  /** The same address with another server's account and database. */
  like(url: string): string
}

/** Restores a backup on a server of its own, to a moment or to the end of the archive. */
export async function restoreElsewhere(options: {
  backup: string
  archive: string
  dataDir: string
  until?: string
}): Promise<RestoredServer> {
  const started = performance.now()
  await layOutRestore(options)
  const port = await freePort()
  const server = await startEmbeddedServer({ dataDir: options.dataDir, port })
  await untilRestored(server.adminUrl, 600)
  return {
    adminUrl: server.adminUrl,
    seconds: (performance.now() - started) / 1000,
    like(url) {
      const address = new URL(url)
      address.port = String(port)
      return address.toString()
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** A folder into which the server's account, whichever that is, may write. */
export async function openFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  await chmod(path, 0o777)
  return path
}
