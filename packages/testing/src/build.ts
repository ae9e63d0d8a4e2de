import { spawn } from 'node:child_process'
import { join } from 'node:path'

/**
 * Builds an app as it is deployed, with Vite. `outDir` must be inside the app's folder, because the
 * build of the API imports some of its packages; default is the app's `dist`.
 */
export async function buildApp(app: 'api' | 'portal', outDir?: string): Promise<void> {
  const folder = join(import.meta.dirname, '../../../apps', app)
  const child = spawn(
    join(folder, 'node_modules/.bin/vite'),
    ['build', '--logLevel', 'warn', ...(outDir ? ['--outDir', outDir] : [])],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed)
    child.once('exit', done)
  })
  if (code !== 0) throw new Error(`${app} could not be built: ${code}`)
}
