import { rm } from 'node:fs/promises'
import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerLimitBytes } from '@atrium/api/app'
import { createBff } from '@atrium/bff/bff'
import { readAppConfig } from '@atrium/bff/config'
import { createCookies } from '@atrium/bff/cookies'
import { createLogger } from '@atrium/bff/log'
import { readStaticFiles } from '@atrium/bff/static-files'
import { demoClients } from '@atrium/core/demo/demo'
import { openDatabase } from '@atrium/db/platform/connect'
import { Browser } from '@atrium/testing/bff/browser'
import { buildDist } from '@atrium/testing/bff/test-bff'
import { startTestApp, type TestApp, type TestAppOptions } from '@atrium/testing/test-app'
import { createAdaptorServer } from '@hono/node-server'

type AppName = 'portal' | 'operator'

/**
 * The servers of portal and operator app before the real API, all on sockets, with one database and
 * one sandbox behind them.
 */
export interface Front extends AsyncDisposable {
  testApp: TestApp
  apiUrl: string
  urls: Readonly<Record<AppName, string>>
  cookieNames: Readonly<Record<AppName, string>>
  /** What the servers of the apps logged, one JSON line each. */
  logLines: string[]
  browser(): Browser
}

export interface FrontOptions extends TestAppOptions {
  /** How often a stream makes sure that its session still exists, in milliseconds. */
  streamCheckMs?: number
}

export async function openFront({
  streamCheckMs = 1_000,
  ...options
}: FrontOptions = {}): Promise<Front> {
  const [api, portal, operator] = await Promise.all([
    listening({ maxHeaderSize: headerLimitBytes }),
    listening(),
    listening(),
  ])
  const urls = { portal: portal.url, operator: operator.url }
  const testApp = await startTestApp({
    started: true,
    manyChanges: true,
    ...options,
    sandbox: {
      ...options.sandbox,
      apps: { portal: { origin: urls.portal }, operator: { origin: urls.operator } },
    },
  })
  api.server.on('request', testApp.app.listener)
  const distDir = await buildDist()
  const logLines: string[] = []
  const closers: (() => Promise<unknown>)[] = [() => rm(distDir, { recursive: true, force: true })]
  for (const [app, { server, url }] of Object.entries({ portal, operator }) as [
    AppName,
    typeof portal,
  ][]) {
    const config = readAppConfig(app, {
      PORT: '0',
      PUBLIC_URL: url,
      API_URL: api.url,
      DATABASE_URL: testApp.config.databaseUrl,
      IDP_ISSUER: testApp.sandbox.issuers[app],
      OIDC_CLIENT_ID: demoClients[app].clientId,
      OIDC_CLIENT_SECRET: demoClients[app].clientSecret,
      ENCRYPTION_KEYS: testApp.env.ENCRYPTION_KEYS,
    })
    const log = createLogger(`atrium-${app}`, 'debug', {
      write: (line: string) => void logLines.push(line),
    })
    const database = openDatabase({ url: config.databaseUrl, poolSize: 6, onError: () => {} })
    const bff = createBff({
      config,
      database,
      files: readStaticFiles(distDir),
      log,
      version: '0',
      streamCheckMs,
    })
    server.on(
      'request',
      createAdaptorServer({ fetch: bff.app.fetch }).listeners('request')[0] as Parameters<
        Server['on']
      >[1],
    )
    closers.push(
      () => database.close(),
      () => bff.close(),
    )
  }
  return {
    testApp,
    apiUrl: api.url,
    urls,
    cookieNames: {
      portal: createCookies('portal', urls.portal).sessionName,
      operator: createCookies('operator', urls.operator).sessionName,
    },
    logLines,
    browser: () => new Browser(),
    async [Symbol.asyncDispose]() {
      for (const { server } of [portal, operator, api]) await closed(server)
      for (const close of closers.reverse()) await close()
      await testApp[Symbol.asyncDispose]()
    },
  }
}

async function listening(options: ServerOptions = {}): Promise<{ server: Server; url: string }> {
  const server = createServer(options)
  await new Promise<void>((done) => server.listen(0, 'localhost', () => done()))
  return { server, url: `http://localhost:${(server.address() as AddressInfo).port}` }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
}
