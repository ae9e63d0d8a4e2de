import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

const api = join(import.meta.dirname, '..')

/**
 * Builds the API as it is deployed into a folder, which has to lie beside its packages, because two
 * of them stay outside of the build.
 */
export async function buildApi(folder: string): Promise<void> {
  const child = spawn(join(api, 'node_modules/.bin/vite'), ['build', '--outDir', folder], {
    cwd: api,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed)
    child.once('exit', done)
  })
  if (code !== 0) throw new Error(`the API could not be built: ${code}`)
}

/**
 * Builds the API once per run, whatever its projects, for all tests that start it as a process of
 * its own: it takes a third of the processor time of the sources until it listens. Its address goes
 * to the tests in `ATRIUM_BUILT_API`.
 */
export default async function builtApi(): Promise<() => Promise<void>> {
  if (process.env.ATRIUM_BUILT_API) return async () => {}
  const folder = join(api, `node_modules/.cache/built-${process.pid}`)
  await buildApi(folder)
  process.env.ATRIUM_BUILT_API = join(folder, 'main.js')
  return () => rm(folder, { recursive: true, force: true })
}
