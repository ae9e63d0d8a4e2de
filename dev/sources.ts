import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerProcess } from './processes.ts'

type AppName = 'portal' | 'operator' | 'booking'

/** The file that every build of an app ends with. */
const builtFile = {
  portal: 'index.html',
  operator: 'index.html',
  booking: 'page.js',
} as const satisfies Record<AppName, string>

/**
 * The booking pages are made by their server; only their script and style are built, and those
 * import nothing.
 */
const sourcesOfApps = (app: AppName) =>
  app === 'booking'
    ? ['apps/booking', 'pnpm-lock.yaml']
    : [
        `apps/${app}`,
        'packages/ui',
        'packages/core/src',
        'packages/messages/src',
        'apps/api/src',
        'pnpm-lock.yaml',
      ]

/** Builds an app's pages with Vite, unless the last build is newer than every source. */
export async function buildIfStale(root: string, app: AppName): Promise<void> {
  const built = await stat(join(root, 'apps', app, 'dist', builtFile[app])).then(
    (found) => found.mtimeMs,
    () => 0,
  )
  const newest = Math.max(
    ...(await Promise.all(sourcesOfApps(app).map((path) => newestChange(join(root, path))))),
  )
  if (built > newest) return
  await build(root, app)
}

async function build(root: string, app: AppName): Promise<void> {
  const folder = join(root, 'apps', app)
  const output: string[] = []
  const child = spawn(
    process.execPath,
    [join(folder, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // As they are deployed, whatever is set around: a test runner says `test`, and React would be
      // the slow one of development.
      env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
    },
  )
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const code = await new Promise<number | null>((done) => child.once('exit', done))
  if (code !== 0) throw new Error(`The pages of ${app} could not be built:\n${output.join('')}`)
}

/** Milliseconds since 1970 of the newest file; `dist` and `node_modules` do not count. */
async function newestChange(path: string): Promise<number> {
  const found = await stat(path)
  if (!found.isDirectory()) return found.mtimeMs
  let newest = 0
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue
    newest = Math.max(newest, await newestChange(join(path, entry.name)))
  }
  return newest
}

/**
 * Builds the script and style of the booking pages when their sources change, and restarts their
 * server, which reads them at its start. Returns how to stop watching.
 */
export function watchBookingClient(root: string, booking: ServerProcess): () => void {
  let waiting: NodeJS.Timeout | undefined
  const rebuild = async () => {
    await build(root, 'booking')
    await booking.restart()
  }
  const watcher = watch(join(root, 'apps/booking/src/client'), { recursive: true }, () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      rebuild().catch((error: unknown) =>
        process.stderr.write(`[dev] ${error instanceof Error ? error.message : String(error)}\n`),
      )
    }, 200)
  })
  return () => {
    watcher.close()
    clearTimeout(waiting)
  }
}
