import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { openToOthers } from '@atrium/db/server/embedded'
import { proposeBase } from './ports.ts'

/**
 * Where a local workplace keeps its data: `.atrium/<port base>` in the checkout. The database
 * server cannot run as root, so when root's checkout lies in a folder that no other account may
 * enter (such as /root), the data lies in /var/tmp instead.
 */
export async function chooseDataFolder(root: string, base: number): Promise<string> {
  const folder = join(root, '.atrium', String(base))
  if (process.getuid?.() !== 0 || (await openToOthers(folder))) return folder
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12)
  return join('/var/tmp', `atrium-${name}`, String(base))
}

/**
 * Throws, before anything is started, when a port of the workplace is in use; the message names a
 * base whose ports are free.
 */
export async function rejectTakenPorts(
  ports: readonly [name: string, port: number][],
): Promise<void> {
  const taken: string[] = []
  for (const [name, port] of ports) if (!(await isFree(port))) taken.push(`${port} (${name})`)
  if (taken.length === 0) return
  const base = await proposeBase(isFree)
  const other =
    base === undefined
      ? ''
      : `, or start with another base that is free: ATRIUM_PORT_BASE=${base} npx -y pnpm@12 dev`
  throw new Error(`In use already: port ${taken.join(', ')}.\nStop what runs there${other}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((response) => {
    const probe = createServer()
    probe.once('error', () => response(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => response(true)))
  })
}
