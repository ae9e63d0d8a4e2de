import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { demoClients } from '@atrium/core/demo/demo'
import { Browser } from '@atrium/testing/bff/browser'
import type { TestApp } from '@atrium/testing/test-app'
import { openBalancer } from './balancer.ts'
import type { ScaledTestApp } from './cluster.ts'
import { type Check, oneAtATime } from './shared-state.ts'

export interface PortalProcess extends AsyncDisposable {
  readonly url: string
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

/**
 * Two portal servers behind one address: what a browser began at one goes on at the other, and
 * tokens are renewed once.
 */
export async function checkPortals(scaled: ScaledTestApp, port: number): Promise<Check[]> {
  const origin = `http://localhost:${port}`
  const places = { origin, apiUrl: scaled.balancer.url, keys: portalKeys() }
  await using balancer = await openBalancer({ port })
  await using first = await startPortal(scaled.testApp, places)
  await using second = await startPortal(scaled.testApp, places)
  const portals = [first, second]
  for (const { url } of portals) {
    balancer.add(url)
    await balancer.untilReady(url)
  }
  const browser = new Browser([[origin, balancer.url]])
  await browser.signIn(origin, 'owner@acme.test')
  return await oneAtATime([
    () => checkSessions(browser, origin, portals),
    () => checkRefresh(scaled, browser, origin, portals),
  ])
}

/** The same browser at one of the servers, past the common address. */
function readAt(browser: Browser, origin: string, portal: PortalProcess): Promise<Response> {
  const cookie = [...(browser.cookies.get(new URL(origin).hostname) ?? new Map())]
    .map(([name, { value }]) => `${name}=${value}`)
    .join('; ')
  return fetch(`${portal.url}/trpc/users.me`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  })
}

async function checkSessions(
  browser: Browser,
  origin: string,
  portals: readonly PortalProcess[],
): Promise<Check> {
  const statuses = await Promise.all(
    portals.map(async (portal) => (await readAt(browser, origin, portal)).status),
  )
  const [first] = portals
  const out = await browser.post(`${origin}/auth/logout`)
  await out.body?.cancel()
  const after = await Promise.all(
    portals.map(async (portal) => (await readAt(browser, origin, portal)).status),
  )
  await browser.signIn(origin, 'owner@acme.test')
  return {
    what: 'a session that began at one portal server is one at the other, and so is its end',
    measured: `signed in: ${statuses.join(', ')}; signed out: ${after.join(', ')}`,
    holds:
      first !== undefined &&
      statuses.every((status) => status === 200) &&
      after.every((status) => status === 401),
  }
}

/** The tokens look expired, and fifty requests come at once, half of them to either server. */
async function checkRefresh(
  scaled: ScaledTestApp,
  browser: Browser,
  origin: string,
  portals: readonly PortalProcess[],
): Promise<Check> {
  const rounds = 10
  const { sandbox, database } = scaled.testApp
  const tokenCalls = () =>
    sandbox
      .state()
      .identity.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/token/'))
      .length
  const refreshes: number[] = []
  const rejected: string[] = []
  for (let round = 0; round < rounds; round++) {
    await database.db
      .updateTable('web_sessions')
      .set({ access_expires_at: new Date(0) })
      .execute()
    const before = tokenCalls()
    const responses = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const portal = portals[n % portals.length]
        const response = portal && (await readAt(browser, origin, portal))
        return response?.status === 200
          ? undefined
          : `${response?.status} ${(await response?.text())?.slice(0, 200)}`
      }),
    )
    rejected.push(...responses.filter((sentence) => sentence !== undefined))
    refreshes.push(tokenCalls() - before)
  }
  return {
    what: 'one refresh of the tokens at a time, over both portal servers',
    measured: `${rounds} times 50 requests at once, refreshes ${refreshes.join(', ')}, ${rejected.length} requests refused ${rejected[0] ?? ''}`,
    holds: rejected.length === 0 && refreshes.every((number) => number === 1),
  }
}

/** Keys that the portal servers behind one address share. */
export const portalKeys = () => `scale:${randomBytes(32).toString('base64')}`

export interface PortalPlaces {
  /** Where browsers reach the portals. */
  origin: string
  apiUrl: string
  keys: string
  /** Default: a free one. */
  port?: number
}

/** A server of the customer portal in a process of its own; the app has to be built. */
export async function startPortal(
  testApp: TestApp,
  { origin, apiUrl, keys, port: wanted = 0 }: PortalPlaces,
): Promise<PortalProcess> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../apps/portal/src/server.ts')],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        PORT: String(wanted),
        PUBLIC_URL: origin,
        API_URL: apiUrl,
        DATABASE_URL: testApp.env.DATABASE_URL,
        IDP_ISSUER: testApp.sandbox.issuers.portal,
        OIDC_CLIENT_ID: demoClients.portal.clientId,
        OIDC_CLIENT_SECRET: demoClients.portal.clientSecret,
        ENCRYPTION_KEYS: keys,
      },
    },
  )
  const output: string[] = []
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  child.stderr.on('data', (text: Buffer) => output.push(text.toString()))
  const port = await new Promise<number>((found, failed) => {
    createInterface(child.stdout).on('line', (line) => {
      output.push(line)
      const entry: { msg?: string; port?: number } = JSON.parse(line)
      if (entry.msg === 'listening' && entry.port) found(entry.port)
    })
    child.once('exit', () =>
      failed(new Error(`the portal ended before it listened:\n${output.join('\n')}`)),
    )
  })
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
