import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { tenantIdOf } from '@atrium/testing/records'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { Webhook } from 'standardwebhooks'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const packed = process.env.ATRIUM_PACKED ?? ''
/** Name, program and arguments; `pnpm test:runtimes` names further ones. */
const runtimes: [string, string, string[]][] = [
  ['Node.js', process.execPath, []],
  ...JSON.parse(process.env.ATRIUM_RUNTIMES ?? '[]'),
]
const root = join(import.meta.dirname, '../../..')
let project: string
beforeAll(async () => {
  project = await mkdtemp(join(packed, 'project-'))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(project, { recursive: true, force: true }))

function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ status: number; out: string; err: string }>((done) => {
    execFile(
      program,
      args,
      { cwd: project, env: { PATH: process.env.PATH, ...env } },
      (error, out, err) => done({ status: Number(error?.code ?? 0), out, err }),
    )
  })
}

/** A copy of an example in a folder that has the packed packages alone. */
async function exampleFile(name: string): Promise<string> {
  const path = join(project, name)
  await copyFile(join(root, 'examples', name), path)
  return path
}

describe('the packed client', () => {
  let testApp: TestApp
  let server: Server
  let token: string
  beforeAll(async () => {
    testApp = await startTestApp({ manyChanges: true })
    const id = await tenantIdOf(testApp.database.db, 'acme')
    token = (await insertServiceToken(testApp, { kind: 'tenant', tenantId: id })).token
    server = createServer(testApp.app.listener)
    await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await testApp[Symbol.asyncDispose]()
  })

  it.each(runtimes)('runs the first integration on %s', async (_, program, options) => {
    const example = [...options, await exampleFile('first-integration.ts')]
    const { port } = server.address() as AddressInfo
    const env = {
      ATRIUM_URL: `http://127.0.0.1:${port}`,
      ATRIUM_TOKEN: token,
      ATRIUM_TENANT: 'acme',
    }
    const first = await run(program, example, env)
    expect(first).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^Created everyone@\S+ with 3 recipients\.\n$/),
    })
    const second = await run(program, example, env)
    expect(second).toMatchObject({ status: 0, out: expect.stringContaining('is up to date.') })
    const rejected = await run(program, example, { ...env, ATRIUM_TENANT: 'globex' })
    expect(rejected).toMatchObject({ status: 1, err: expect.stringContaining('not_member') })
    // The next runtime begins without the list.
    const owner = await testApp.token('owner@acme.test')
    const { body } = await testApp.request('GET', '/tenants/acme/lists', { token: owner })
    for (const { id } of body.items)
      await testApp.request('DELETE', `/tenants/acme/lists/${id}`, { token: owner })
  })

  it.each(runtimes)('verifies webhooks in the receiver on %s', async (_, program, options) => {
    const secret = `whsec_${Buffer.from('a secret of this test alone').toString('base64')}`
    const receiver = spawn(program, [...options, await exampleFile('webhook-receiver.ts')], {
      env: { PATH: process.env.PATH, WEBHOOK_SECRETS: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
      const port = /\d+$/.exec(String((await lines.next()).value))?.[0]
      const at = new Date()
      const deliver = (signature: string) =>
        fetch(`http://127.0.0.1:${port}`, {
          method: 'POST',
          body: '{"type":"test"}',
          headers: {
            'webhook-id': 'msg_1',
            'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
            'webhook-signature': signature,
          },
        })
      expect((await deliver('v1,none')).status).toBe(400)
      const signature = new Webhook(secret).sign('msg_1', at, '{"type":"test"}')
      expect((await deliver(signature)).status).toBe(204)
      expect((await lines.next()).value).toBe('msg_1 {"type":"test"}')
    } finally {
      receiver.kill()
    }
  })
})

describe('the types of the package', () => {
  it.each([
    ['the compiler of the repository', join(root, 'package.json'), 'nodenext'],
    ['the compiler before it', join(root, 'packages/client/package.json'), 'bundler'],
  ])('hold in a project with %s', async (_, from, resolution) => {
    const compiler = createRequire(from).resolve('typescript/package.json')
    const program = join(project, `${resolution}.ts`)
    await writeFile(
      program,
      `import { createAtriumClient, dataOf, listItems } from '@atrium/client'
import { createAtriumTrpc } from '@atrium/client/trpc'
const client = createAtriumClient({ url: 'https://api.example.com', token: 'atr_' })
const path = { slug: 'acme' }
const { name } = await dataOf(client.GET('/tenants/{slug}', { params: { path } }))
const length: number = name.length
for await (const item of listItems(client, '/tenants/{slug}/users', { path })) item.email.trim()
const tenant = await createAtriumTrpc({ url: 'https://api.example.com' }).tenants.get.query(path)
tenant.slug.trim()
// @ts-expect-error there is no such path
client.GET('/nowhere')
// @ts-expect-error a tenant has a name
await dataOf(client.POST('/tenants', { body: { slug: 'acme' } }))
// @ts-expect-error the list has no such filter
listItems(client, '/tenants/{slug}/users', { path, query: { colour: 'red' } })
export { length }
`,
    )
    const result = await run(process.execPath, [
      join(dirname(compiler), 'bin/tsc'),
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'esnext'],
      ...['--module', resolution === 'bundler' ? 'esnext' : 'nodenext'],
      ...['--moduleResolution', resolution, '--lib', 'esnext,dom,dom.iterable', program],
    ])
    expect(result).toEqual({ status: 0, out: '', err: '' })
  })
})

describe('a bundle for browsers', () => {
  async function bundle(source: string): Promise<string> {
    const entry = join(project, 'entry.js')
    await writeFile(entry, source)
    await build({
      root: project,
      configFile: false,
      logLevel: 'error',
      build: { outDir: 'bundle', lib: { entry, formats: ['es'], fileName: 'bundle' } },
    })
    return readFile(join(project, 'bundle/bundle.js'), 'utf8')
  }

  it('has nothing of Node', async () => {
    const code = await bundle(
      "export * from '@atrium/client'\nexport * from '@atrium/client/trpc'\nexport * from '@atrium/client/webhooks'",
    )
    expect(code).not.toMatch(/from ?["']|__vite-browser-external|\brequire\(/)
    // What asks for Node before it uses it does without it elsewhere.
    expect(code.replaceAll(/typeof process == ["`]object["`][^;]*;/g, '')).not.toContain('process.')
  })

  it('has only what it uses', async () => {
    const code = await bundle("export { verifyWebhook } from '@atrium/client/webhooks'")
    expect(code).toContain('webhook-signature')
    expect(code).not.toMatch(/idempotency-key|trpc/i)
    const errors = await bundle("export { ApiError } from '@atrium/client'")
    expect(errors).toContain('ApiError')
    expect(errors).not.toMatch(/idempotency-key|nextCursor/)
  })
})
