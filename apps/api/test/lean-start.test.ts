import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { releaseMemory } from '../src/release-memory.ts'
import { startApi } from './api-process.ts'
import { openHouse, type TestHouse } from './house.ts'

let house: TestHouse
beforeAll(async () => {
  house = await openHouse({ provisioned: false })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

/** Tells in the log of whatever asks for a language or a time zone, and, with SIGUSR2, which built-in modules there are. */
const watch = `
for (const name of ['DateTimeFormat', 'NumberFormat', 'Collator', 'Segmenter']) {
  const tell = (made) => (...given) => { process.stderr.write('asked for Intl.' + name + ' ' + new Error().stack); return made(...given) }
  Intl[name] = new Proxy(Intl[name], { construct: tell(Reflect.construct), apply: tell(Reflect.apply) })
}
for (const kind of [Number, Date]) {
  const { toLocaleString } = kind.prototype
  kind.prototype.toLocaleString = function (...given) { process.stderr.write('asked for ' + kind.name + '.toLocaleString ' + new Error().stack); return toLocaleString.apply(this, given) }
}
process.on('SIGUSR2', () => process.stderr.write('built-in ' + process.moduleLoadList.join(' ')))`

it('a start without outside systems brings neither the languages of the world nor a client for the web into memory', async () => {
  const { PATH = '' } = process.env
  const { DATABASE_URL = '', IDP_ISSUER = '', IDP_AUDIENCE = '' } = house.env
  const env = { PATH, DATABASE_URL, IDP_ISSUER, IDP_AUDIENCE, HOST: '127.0.0.1', METRICS_PORT: '0' }
  await using api = await startApi({ env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}` } })
  const builtIn = async () => {
    const before = api.log.length
    process.kill(api.pid, 'SIGUSR2')
    await expect.poll(() => api.log.slice(before).join('')).toContain('built-in ')
    return api.log.slice(before).join('')
  }
  const read = await fetch(`${api.url}/users/me`)
  expect(read.status).toBe(401)
  expect(api.log.filter((line) => line.startsWith('asked for'))).toEqual([])
  expect(await builtIn()).not.toContain('undici')
  // Seen in what goes through Hono, so that the look above is known to look at the right thing.
  const write = await fetch(`${api.url}/tenants`, { method: 'POST' })
  expect(write.status).toBe(401)
  expect(await builtIn()).toContain('undici')
}, 60_000)

it('what is built is ASCII, a byte for each character in memory', async () => {
  const assets = join(dirname(process.env.ATRIUM_BUILT_API ?? ''), 'assets')
  const files = (await readdir(assets)).filter((name) => name.endsWith('.js'))
  expect(files.length).toBeGreaterThan(5)
  for (const name of files) expect(/[^\p{ASCII}]/u.exec(await readFile(join(assets, name), 'utf8'))?.[0], name).toBeUndefined()
})

it('what nothing holds is gone once the memory was given back', async () => {
  const dropped = new WeakRef({ text: 'held by nobody' })
  const kept = { text: 'held here' }
  const held = new WeakRef(kept)
  await releaseMemory()
  expect(dropped.deref()).toBeUndefined()
  expect(held.deref()).toBe(kept)
})
