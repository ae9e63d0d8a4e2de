import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildApp } from './build.ts'

/**
 * Builds the API once per run for all projects of Vitest, for tests that start it as a process: the
 * build takes a third of the processor time of the sources until it listens. Its address goes to
 * the tests in `ATRIUM_BUILT_API`.
 */
export default async function builtApi(): Promise<() => Promise<void>> {
  if (process.env.ATRIUM_BUILT_API) return async () => {}
  const cache = join(import.meta.dirname, '../../../apps/api/node_modules/.cache')
  const folder = join(cache, `built-${process.pid}`)
  await buildApp('api', folder)
  process.env.ATRIUM_BUILT_API = join(folder, 'main.js')
  return () => rm(folder, { recursive: true, force: true })
}
