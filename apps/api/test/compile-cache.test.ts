import { execFile } from 'node:child_process'
import { appendFile, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildApi } from './built-api.ts'

// A build of its own, since whoever runs one adds to what it has compiled.
const made = join(import.meta.dirname, `../node_modules/.cache/compiled-${process.pid}`)
const copy = `${made}-copied`
beforeAll(async () => {
  await buildApi(made)
  await rename(made, copy)
}, 120_000)
afterAll(() => rm(copy, { recursive: true, force: true }))

/** Files of the service whose compiled code was taken from what the build wrote, in a start that ends at its missing configuration. */
async function takenFromBuild(): Promise<string[]> {
  const { code, told } = await new Promise<{ code: unknown; told: string }>((done) =>
    execFile(process.execPath, [join(copy, 'main.js')], { env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } }, (error, stdout, stderr) =>
      done({ code: error?.code, told: stdout + stderr }),
    ),
  )
  expect(code, told).toBe(78)
  expect(told).toContain('DATABASE_URL')
  return [...told.matchAll(/code cache for ESM file:\S+\/assets\/(\S+?)-[^/]+\.js was accepted/g)].map(([, name]) => name ?? '')
}

it('what the build has compiled may be read by whoever runs it', async () => {
  const files = await readdir(join(copy, 'compile-cache'), { recursive: true })
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const { mode } = await stat(join(copy, 'compile-cache', file))
    expect(mode & 0o044, file).toBe(0o044)
  }
})

it('a start takes compiled code from the build, wherever it was copied to', async () => {
  expect(await takenFromBuild()).toEqual(expect.arrayContaining(['main', 'rest', 'text']))
})

it('a file that was changed since is compiled as ever', async () => {
  const main = (await readdir(join(copy, 'assets'))).find((name) => /^main-.*\.js$/.test(name))
  await appendFile(join(copy, 'assets', main ?? ''), '\n// changed\n')
  const taken = await takenFromBuild()
  expect(taken).toContain('rest')
  expect(taken).not.toContain('main')
})
