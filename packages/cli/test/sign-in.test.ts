import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { demoPassword } from '@atrium/core/demo/demo'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atrium, start } from './atrium.ts'

let testApp: TestApp
let server: Server
let folder: string
let url: string
beforeAll(async () => {
  testApp = await startTestApp({ manyChanges: true })
  server = createServer(testApp.app.listener)
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  folder = await mkdtemp(join(tmpdir(), 'atrium-sign-in-'))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await rm(folder, { recursive: true, force: true })
  await testApp[Symbol.asyncDispose]()
})

/** The next page of a person's browser, which keeps its cookies. */
function createBrowser() {
  const cookies = new Map<string, string>()
  return async function load(address: string, fields?: Record<string, string>) {
    let at = address
    let body = fields && new URLSearchParams(fields)
    for (;;) {
      const response = await fetch(at, {
        method: body ? 'POST' : 'GET',
        ...(body && { body }),
        redirect: 'manual',
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      })
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
        cookies.set(name, value)
      }
      const next = response.headers.get('location')
      if (next === null) return { at, text: await response.text() }
      at = new URL(next, at).href
      body = undefined
    }
  }
}
const hidden = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )

/** What a person does with the link that the program shows. */
async function allow(child: ChildProcess, identifier: string): Promise<void> {
  let shown = ''
  child.stderr?.on('data', (piece) => {
    shown += piece
  })
  await expect.poll(() => /The code is \d{9}\./.test(shown)).toBe(true)
  const load = createBrowser()
  const submitted = await load(/Open (\S+)/.exec(shown)?.[1] ?? '')
  const at = submitted.at.split('?')[0] ?? ''
  const confirm = await load(at, hidden(submitted.text))
  const signIn = await load(at, hidden(confirm.text))
  const end = await load(signIn.at, { identifier, password: demoPassword })
  expect(end.text).toContain('You are signed in')
}

async function signedIn(name: string, identifier = 'owner@acme.test') {
  const env = { ATRIUM_CONFIG: join(folder, `${name}.json`) }
  const child = start(['login', '--url', url, '--tenant', 'acme'], env)
  child.stdin?.end()
  const notes = text(child.stderr as NodeJS.ReadableStream)
  const ended = new Promise((done) => child.once('exit', done))
  await allow(child, identifier)
  expect([await ended, await notes]).toEqual([0, expect.stringContaining(identifier)])
  return env
}
type Env = Awaited<ReturnType<typeof signedIn>>
const stored = async ({ ATRIUM_CONFIG }: Env) =>
  JSON.parse(await readFile(ATRIUM_CONFIG, 'utf8')).profiles.default
async function change({ ATRIUM_CONFIG }: Env, fields: object): Promise<void> {
  const file = JSON.parse(await readFile(ATRIUM_CONFIG, 'utf8'))
  Object.assign(file.profiles.default.signIn, fields)
  await writeFile(ATRIUM_CONFIG, JSON.stringify(file))
}

describe('a sign-in with the browser', () => {
  it('gives commands the rights of the person, until it is ended', async () => {
    const env = await signedIn('owner')
    expect((await stat(env.ATRIUM_CONFIG)).mode & 0o777).toBe(0o600)
    const renamed = await atrium(['tenants', 'update', '--name', 'Acme', '--json'], env)
    expect(JSON.parse(renamed.out)).toMatchObject({ slug: 'acme', name: 'Acme' })
    expect(await atrium(['profiles', 'list'], env)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/default.*person/),
    })
    const { signIn } = await stored(env)
    expect(await atrium(['logout'], env)).toMatchObject({ status: 0 })
    const refresh = await fetch(`${testApp.sandbox.issuers.commandLine}token/`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'atrium-cli',
        refresh_token: signIn.refreshToken,
      }),
    })
    expect(await refresh.json()).toMatchObject({ error: 'invalid_grant' })
    expect(await readFile(env.ATRIUM_CONFIG, 'utf8')).not.toContain(signIn.refreshToken)
  })

  it('is renewed by the command that finds it ended, once for several at a time', async () => {
    const env = await signedIn('renewed')
    const before = (await stored(env)).signIn
    await change(env, { expiresAt: 0 })
    const ended = await Promise.all(
      Array.from({ length: 4 }, () => atrium(['tenants', 'get'], env)),
    )
    expect(ended.map(({ status, err }) => [status, err])).toEqual(ended.map(() => [0, '']))
    const after = (await stored(env)).signIn
    expect(after.refreshToken).not.toBe(before.refreshToken)
    expect(after.expiresAt).toBeGreaterThan(Date.now())
  })

  it('says what to do when it has ended', async () => {
    const env = await signedIn('ended')
    await change(env, { expiresAt: 0, refreshToken: 'revoked' })
    expect(await atrium(['tenants', 'get'], env)).toMatchObject({
      status: 77,
      err: expect.stringContaining('atrium login'),
    })
  })

  it('does not prove a recent sign-in, and says where to go', async () => {
    const env = await signedIn('sensitive')
    const { status, out } = await atrium(['api', 'DELETE', '/tenants/acme'], env)
    expect([status, JSON.parse(out)]).toMatchObject([
      77,
      { code: 'recent_sign_in_required', detail: expect.stringContaining('portal') },
    ])
  })

  it('serves no tools to other programs', async () => {
    const env = await signedIn('tools', 'member@acme.test')
    expect(await atrium(['mcp'], env)).toMatchObject({
      status: 64,
      err: expect.stringContaining('service token'),
    })
  })

  it('is not possible where the API has none', async () => {
    await using other = await startTestApp({
      provisioned: false,
      env: { IDP_CLI_ISSUER: '', IDP_CLI_AUDIENCE: '' },
    })
    const bare = createServer(other.app.listener)
    await new Promise<void>((up) => bare.listen(0, '127.0.0.1', up))
    try {
      const at = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`
      const env = { ATRIUM_CONFIG: join(folder, 'none.json') }
      expect(await atrium(['login', '--url', at], env)).toMatchObject({
        status: 66,
        err: expect.stringContaining('service token'),
      })
    } finally {
      bare.closeAllConnections()
      bare.close()
    }
  })
})
