import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { type BffOptions, createBff } from '@atrium/bff/bff'
import { readAppConfig } from '@atrium/bff/config'
import { createCookies } from '@atrium/bff/cookies'
import { createLogger } from '@atrium/bff/log'
import type { StoredTokens } from '@atrium/bff/sessions'
import { readStaticFiles } from '@atrium/bff/static-files'
import { demoClients } from '@atrium/core/demo/demo'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { createKeyring, type Keyring } from '@atrium/db/platform/encryption'
import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { type Sandbox, type StartOptions, startSandbox } from '@atrium/sandbox/start'
import { createAdaptorServer } from '@hono/node-server'
import { copyDatabase } from '../postgres/database.ts'
import { Browser } from './browser.ts'
import { type FakePlatform, startPlatform } from './platform.ts'

export interface TestBffOptions {
  app?: WebApp
  /**
   * An address that does not exist here, such as https://portal.example.test; the browsers of the
   * workplace know the way.
   */
  publicUrl?: string
  instances?: number
  trustedProxyHops?: number
  identity?: StartOptions['identity']
  bff?: Partial<BffOptions>
  /** Further settings of the servers. */
  env?: Record<string, string>
  /** A migrated database of the caller's. Default: a copy on the server of the run. */
  accounts?: DatabaseAccounts
}

/**
 * One app of one or more server processes' worth of instances on a database of its own, with the
 * sandbox behind it.
 */
export interface TestBff extends AsyncDisposable {
  publicUrl: string
  /** Where each instance listens; the first is where browsers arrive. */
  urls: readonly string[]
  /** Method and path of each route, as Hono writes them. */
  routes: readonly { method: string; path: string }[]
  /** Name of the session cookie. */
  cookieName: string
  sandbox: Sandbox
  platform: FakePlatform
  database: Database
  keyring: Keyring
  env: Record<string, string>
  distDir: string
  logLines: string[]
  /** Moves the clock of the servers, in seconds. */
  elapse(seconds: number): void
  browser(): Browser
  /** Calls to the token endpoint so far, rejected ones included. */
  tokenCalls(): number
  /** The stored sessions with their tokens in the clear. */
  storedSessions(): Promise<{ id: string; tokens: StoredTokens }[]>
  /** Makes every access token look as if it expires this many seconds from now. */
  expireTokens(inSeconds?: number): Promise<void>
}

export async function startTestBff(options: TestBffOptions = {}): Promise<TestBff> {
  const { app = 'portal', instances = 1 } = options
  const closers: (() => Promise<unknown>)[] = []
  const accounts: DatabaseAccounts & Partial<AsyncDisposable> =
    options.accounts ?? (await copyDatabase())
  if (accounts !== options.accounts) closers.push(async () => accounts[Symbol.asyncDispose]?.())
  const listeners = await Promise.all(Array.from({ length: instances }, reservePort))
  const urls = listeners.map(({ port }) => `http://localhost:${port}`)
  const publicUrl = options.publicUrl ?? urls[0] ?? ''
  const sandbox = await startSandbox({
    apps: { portal: { origin: publicUrl }, operator: { origin: publicUrl } },
    ...(options.identity && { identity: options.identity }),
  })
  closers.push(() => sandbox.close())
  const platform = await startPlatform()
  closers.push(async () => platform[Symbol.asyncDispose]())
  const distDir = await buildDist()
  closers.push(() => rm(distDir, { recursive: true, force: true }))

  const keys = `test:${randomBytes(32).toString('base64')}`
  const env = {
    PORT: '0',
    PUBLIC_URL: publicUrl,
    API_URL: platform.url,
    DATABASE_URL: accounts.appUrl,
    IDP_ISSUER: sandbox.issuers[app],
    OIDC_CLIENT_ID: demoClients[app].clientId,
    OIDC_CLIENT_SECRET: demoClients[app].clientSecret,
    APP_SECRET: 'secret-by-which-the-api-knows-the-portal',
    ENCRYPTION_KEYS: keys,
    TRUSTED_PROXY_HOPS: String(options.trustedProxyHops ?? 0),
    LOG_LEVEL: 'debug',
    SHUTDOWN_DRAIN_SECONDS: '0.5',
    ...options.env,
  }
  const config = readAppConfig(app, env)
  const logLines: string[] = []
  const log = createLogger(`atrium-${app}`, 'debug', {
    write: (line: string) => void logLines.push(line),
  })
  let shift = 0
  const now = () => new Date(Date.now() + shift * 1000)
  const files = readStaticFiles(distDir)
  let first: Database | undefined
  let routes: TestBff['routes'] = []
  for (const { server } of listeners) {
    // A pool of its own for each instance, as if it were a process.
    const database = openDatabase({
      url: accounts.appUrl,
      poolSize: 6,
      onError: (err) => log.warn({ err }, 'database connection lost'),
    })
    first ??= database
    const bff = createBff({ config, database, files, log, version: '0', now, ...options.bff })
    routes = bff.app.routes
    server.on(
      'request',
      createAdaptorServer({ fetch: bff.app.fetch }).listeners('request')[0] as Parameters<
        Server['on']
      >[1],
    )
    closers.push(
      () => database.close(),
      () => bff.close(),
      () => closeServer(server),
    )
  }
  if (!first) throw new Error('a test server has at least one instance')
  const database = first
  return {
    publicUrl,
    urls,
    routes,
    cookieName: createCookies(app, publicUrl).sessionName,
    sandbox,
    platform,
    database,
    keyring: createKeyring(keys),
    env,
    distDir,
    logLines,
    elapse: (seconds) => {
      shift += seconds
    },
    browser: () => new Browser([[publicUrl, urls[0] ?? '']]),
    tokenCalls: () =>
      sandbox
        .state()
        .identity.calls.filter((call) => call.method === 'POST' && call.path.endsWith('/token/'))
        .length,
    async storedSessions() {
      const rows = await database.db
        .selectFrom('web_sessions')
        .select(['id', 'tokens'])
        .orderBy('id')
        .execute()
      const keyring = createKeyring(keys)
      return rows.map(({ id, tokens }) => ({
        id,
        tokens: JSON.parse(keyring.decrypt(tokens, `web_sessions.tokens:${id}`)),
      }))
    },
    async expireTokens(inSeconds = -1) {
      await database.db
        .updateTable('web_sessions')
        .set({ access_expires_at: new Date(Date.now() + inSeconds * 1000) })
        .execute()
    },
    async [Symbol.asyncDispose]() {
      for (const close of closers.reverse()) await close()
    },
  }
}

async function reservePort(): Promise<{ server: Server; port: number }> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, 'localhost', () => done()))
  return { server, port: (server.address() as AddressInfo).port }
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
}

export const script = `console.log(${JSON.stringify('a line that compresses well '.repeat(200))})\n`

/** Packed otherwise than the server would do it. */
export const packedScript = brotliCompressSync(script, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
})

export async function buildDist(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-dist-'))
  await mkdir(join(dir, 'assets'))
  await writeFile(
    join(dir, 'index.html'),
    '<!doctype html><html lang="en"><head><meta name="csp-nonce" content=""><script type="module" src="/assets/app-1a2b3c4d.js"></script></head><body></body></html>',
  )
  await writeFile(join(dir, 'assets', 'app-1a2b3c4d.js'), script)
  await writeFile(join(dir, 'assets', 'page-5e6f7a8b.js'), script)
  for (const language of ['en', 'de'])
    await writeFile(join(dir, 'assets', `messages-${language}-9c0d1e2f.js`), script)
  await writeFile(join(dir, 'assets', 'page-5e6f7a8b.js.br'), packedScript)
  await writeFile(join(dir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return dir
}
