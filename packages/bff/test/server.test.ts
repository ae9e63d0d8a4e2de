import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterEach, describe, expect, it } from 'vitest'
import { readAppConfig } from '../src/config.ts'
import { startAppServer } from '../src/server.ts'

const key = randomBytes(32).toString('base64')
const env = {
  PORT: '4100',
  PUBLIC_URL: 'https://portal.example.test',
  API_URL: 'http://api:4000',
  DATABASE_URL: 'postgres://localhost/atrium',
  IDP_ISSUER: 'https://idp.example.test/application/o/atrium-portal/',
  OIDC_CLIENT_ID: 'atrium-portal',
  OIDC_CLIENT_SECRET: 'secret-of-the-portal',
  APP_SECRET: 'secret-by-which-the-api-knows-the-portal',
  ENCRYPTION_KEYS: `new:${key},old:${randomBytes(32).toString('base64')}`,
}

describe('the configuration', () => {
  it('has defaults for what may be left out', () => {
    expect(readAppConfig('portal', env)).toMatchObject({
      host: '127.0.0.1',
      publicUrl: 'https://portal.example.test',
      trustedProxyHops: 0,
      countryHeader: undefined,
      staffGroups: ['platform-admins', 'authentik Admins', 'partner-staff'],
    })
  })

  it('names every fault in a line of its own, and no secret', () => {
    const faulty = {
      ...env,
      PORT: 'x',
      PUBLIC_URL: 'portal',
      OIDC_CLIENT_SECRET: undefined,
      DATABASE_URL: 'mysql://x',
      TRUSTED_PROXY_HOPS: '-1',
      CLIENT_COUNTRY_HEADER: 'X-Country: DE',
    }
    expect(() => readAppConfig('portal', faulty)).toThrow(
      /^The configuration is not usable:\n {2}PORT: .+\n {2}PUBLIC_URL: .+\n {2}DATABASE_URL: .+\n {2}OIDC_CLIENT_SECRET: is missing\n {2}TRUSTED_PROXY_HOPS: .+\n {2}CLIENT_COUNTRY_HEADER: .+$/,
    )
  })

  it.each([
    ['http://portal.example.test', false],
    ['http://192.168.1.5:4100', false],
    ['http://localhost.evil.test', false],
    ['https://portal.example.test/app', false],
    ['https://user:pw@portal.example.test', false],
    ['http://localhost:4100', true],
    ['http://127.0.0.1:4100', true],
    ['http://[::1]:4100', true],
    ['https://portal.example.test/', true],
  ])('with the public address %s is usable: %s', (address, usable) => {
    const read = () => readAppConfig('portal', { ...env, PUBLIC_URL: address })
    if (usable) expect(read().publicUrl).toBe(new URL(address).origin)
    else expect(read).toThrow(/PUBLIC_URL: /)
  })

  it('rejects an identity provider on plain http elsewhere', () => {
    expect(() =>
      readAppConfig('portal', { ...env, IDP_ISSUER: 'http://idp.example.test/' }),
    ).toThrow(/IDP_ISSUER: plain http/)
  })

  it.each(['x', `a:${key.slice(0, 20)}`, `a:${key},a:${key}`, `a b:${key}`, `${key}`])(
    'refuses the keys "%s" without repeating them',
    (keys) => {
      const attempt = () => readAppConfig('portal', { ...env, ENCRYPTION_KEYS: keys })
      expect(attempt).toThrow(/ENCRYPTION_KEYS: /)
      expect(attempt).not.toThrow(new RegExp(key.slice(0, 20)))
    },
  )
})

let testBff: TestBff | undefined
let child: ChildProcess | undefined
afterEach(async () => {
  if (child && child.exitCode === null) {
    const ended = new Promise((done) => child?.once('exit', done))
    child.kill('SIGKILL')
    await ended
  }
  await testBff?.[Symbol.asyncDispose]()
  testBff = undefined
  child = undefined
})

/** The server as a process of its own, as the apps start it. */
function run(variables: Record<string, string>, distDir: string) {
  const code = `import(${JSON.stringify(fileURLToPath(new URL('../src/server.ts', import.meta.url)))}).then((server) => server.runAppServer({ app: 'portal', env: process.env, distDir: ${JSON.stringify(distDir)} }))`
  const started = spawn(process.execPath, ['-e', code], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  const output = { text: '', errors: '' }
  started.stdout.setEncoding('utf8').on('data', (text) => {
    output.text += text
  })
  started.stderr.setEncoding('utf8').on('data', (text) => {
    output.errors += text
  })
  const exited = new Promise<number | null>((done) =>
    started.once('exit', (status) => done(status)),
  )
  const listening = async () => {
    await expect.poll(() => output.text, { timeout: 10_000 }).toContain('"msg":"listening"')
    const line = output.text.split('\n').find((entry) => entry.includes('"listening"')) ?? ''
    return (JSON.parse(line) as { port: number }).port
  }
  return { output, exited, listening, process: started }
}

describe('the server', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends by itself on %s, open streams and idle connections included',
    async (signal) => {
      testBff = await startTestBff()
      const server = run(testBff.env, testBff.distDir)
      const port = await server.listening()
      const browser = testBff.browser()
      await browser.signIn(testBff.publicUrl, 'owner@acme.test')
      expect((await browser.fetch(`http://localhost:${port}/health`)).status).toBe(200)
      const stream = await browser.fetch(`http://localhost:${port}/trpc/events`)
      const reader = stream.body?.getReader()
      await reader?.read()
      server.process.kill(signal)
      expect(await reader?.read()).toEqual({ done: true, value: undefined })
      expect(await server.exited).toBe(0)
      expect(server.output.text).toContain('"msg":"stopped"')
      expect(server.output.errors).toBe('')
    },
  )

  it('cuts off what does not come to an end', async () => {
    testBff = await startTestBff()
    testBff.platform.answer = () => new Promise(() => {})
    const server = run(testBff.env, testBff.distDir)
    const port = await server.listening()
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, 'owner@acme.test')
    const hanging = browser.fetch(`http://localhost:${port}/trpc/a.b`)
    hanging.catch(() => {})
    await expect.poll(() => testBff?.platform.seen.length).toBe(1)
    server.process.kill('SIGTERM')
    await expect(hanging).rejects.toThrow()
    expect(await server.exited).toBe(0)
  })

  it('does not start with a faulty configuration, without a build, or on a taken port, and says why in a line', async () => {
    testBff = await startTestBff()
    const faulty = run({ ...testBff.env, OIDC_CLIENT_ID: '', PORT: 'x' }, testBff.distDir)
    expect(await faulty.exited).toBe(78)
    expect(faulty.output.errors.split('\n')).toEqual([
      'The configuration is not usable:',
      expect.stringMatching(/^ {2}PORT: /),
      '  OIDC_CLIENT_ID: is empty. Give it a value, or remove the line for the default',
      '',
    ])
    await expect(
      startAppServer({ app: 'portal', env: testBff.env, distDir: '/nowhere' }),
    ).rejects.toThrow('There is no build of the app in /nowhere.')
    const { port } = new URL(testBff.publicUrl)
    const taken = startAppServer({
      app: 'portal',
      env: { ...testBff.env, HOST: 'localhost', PORT: port, LOG_LEVEL: 'silent' },
      distDir: testBff.distDir,
    })
    await expect(taken).rejects.toThrow(`Port ${port} on localhost is taken.`)
  })
})
