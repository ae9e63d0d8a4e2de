import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@atrium/db/server/free-port'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { rawRequest } from '@atrium/testing/bff/browser'
import { buildApp } from '@atrium/testing/build'
import { startReplicated } from '@atrium/testing/postgres/replicated'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { send } from '../scale/cluster.ts'
import { startLoad } from '../scale/load.ts'
import { type PortalProcess, portalKeys, startPortal } from '../scale/portals.ts'
import type { Check } from './check.ts'
import { startPortalLoad } from './portal-load.ts'

const examples = join(import.meta.dirname, '../../deploy/proxies')
const restarts = 4
/** Two checks of the examples: what docs/how-to/operate.md says to wait between two restarts. */
const betweenMs = 5_000

/** Ports of the examples, and those that take their places here. */
interface Places {
  proxy: number
  api: readonly [number, number]
  portal: readonly [number, number]
  booking: number
}

interface Kind {
  file: string
  /**
   * The example with the places of a test, without TLS; the API is `127.0.0.1`, the portal
   * `localhost`.
   */
  adapt(example: string, places: Places): string
  args(file: string, folder: string): readonly string[]
}

export const proxies: Readonly<Record<string, Kind>> = {
  caddy: {
    file: 'Caddyfile',
    adapt: (example, { proxy }) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${example
        .replace(/^api\.example\.com \{/m, `http://127.0.0.1:${proxy} {`)
        .replace(/^portal\.example\.com \{/m, `http://localhost:${proxy} {`)
        .replace(/^(\w+\.example\.com) \{/gm, `http://$1:${proxy} {`)}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    file: 'haproxy.cfg',
    adapt: (example, { proxy }) =>
      example
        .replace(/bind :443 .*/, `bind 127.0.0.1:${proxy}`)
        .replace('api.example.com', '127.0.0.1')
        .replace('portal.example.com', 'localhost'),
    args: (file) => ['-db', '-f', file],
  },
  nginx: {
    file: 'nginx.conf',
    adapt: (example, { proxy }) =>
      `daemon off;\npid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${example
        .replaceAll('listen 443 ssl http2;', `listen 127.0.0.1:${proxy};`)
        .replaceAll(/^ *ssl_certificate.*\n/gm, '')
        .replace('server_name api.example.com', 'server_name 127.0.0.1')
        .replace('server_name portal.example.com', 'server_name localhost')}}\n`,
    args: (file, folder) => ['-p', folder, '-c', file],
  },
}

/**
 * Replaces the processes of the API, then those of the portal, behind a real proxy, one after the
 * other, under load.
 */
export async function checkProxy(name: string, program: string): Promise<Check[]> {
  const kind = proxies[name]
  if (!kind) throw new Error(`there is no example for ${name}`)
  const places: Places = {
    proxy: await freePort(),
    api: [await freePort(), await freePort()],
    portal: [await freePort(), await freePort()],
    booking: await freePort(),
  }
  const origin = `http://localhost:${places.proxy}`
  const seen: IncomingHttpHeaders[] = []
  const echo = createServer((request, response) => {
    seen.push(request.headers)
    response.end('ok')
  })
  await buildApp('portal')
  await new Promise<void>((done) => echo.listen(places.booking, '127.0.0.1', done))
  try {
    await using database = await startReplicated({ standby: false })
    await using testApp = await startTestApp({
      accounts: database.accounts,
      provisioned: false,
      manyChanges: true,
      mailer: true,
      sandbox: {
        identity: { accessTokenSeconds: 4 * 3600 },
        apps: { portal: { origin }, operator: { origin } },
      },
      env: { TRUSTED_PROXY_HOPS: '1', SHUTDOWN_DRAIN_SECONDS: '5' },
    })
    await using proxy = await startProxy(kind, program, places)
    const url = `http://127.0.0.1:${places.proxy}`
    const first = await startAt(testApp, places.api[0])
    const second = await startAt(testApp, places.api[1])
    const running = new Map([first, second].map((one) => [one.port, one.api]))
    try {
      await untilReached(url, proxy.output)
      return [
        await checkRestarts(testApp, url, running),
        await checkPortalRestarts(testApp, { origin, apiUrl: url, ports: places.portal }),
        await checkHeaders(url, seen),
      ]
    } finally {
      for (const api of running.values()) await api[Symbol.asyncDispose]()
    }
  } finally {
    await close(echo)
  }
}

async function checkRestarts(
  testApp: TestApp,
  url: string,
  running: Map<number, ApiProcess>,
): Promise<Check> {
  const load = await startLoad({
    testApp,
    balancer: { url },
    send: (method, path, options = {}) => send(`${url}${path}`, method, options),
  })
  const codes: (number | null)[] = []
  for (let turn = 0; turn < restarts; turn++) {
    const [port, api] = [...running][0] ?? []
    if (!port || !api) throw new Error('there is no process to restart')
    api.signal('SIGTERM')
    codes.push(await api.ended)
    running.delete(port)
    running.set(port, (await startAt(testApp, port)).api)
    await wait(betweenMs)
  }
  await load.stop()
  const requests = load.reads + load.created.size + load.streams.begun
  return {
    what: `${restarts} restarts of a process under load, no request fails`,
    measured: `${load.failed.length} of ${requests} requests failed (${load.created.size} creates, ${load.streams.begun} streams), exit codes ${codes.join(', ')} ${load.failed[0] ?? ''}`,
    holds: load.failed.length === 0 && load.created.size > restarts && codes.every((c) => c === 0),
  }
}

/** The same for two portal servers: a signed-in browser reads through them, and loads the page. */
async function checkPortalRestarts(
  testApp: TestApp,
  { origin, apiUrl, ports }: { origin: string; apiUrl: string; ports: Places['portal'] },
): Promise<Check> {
  const keys = portalKeys()
  const start = (port: number) => startPortal(testApp, { origin, apiUrl, keys, port })
  const running = new Map<number, PortalProcess>()
  try {
    for (const port of ports) running.set(port, await start(port))
    const load = await startPortalLoad(origin)
    const codes: (number | null)[] = []
    for (let turn = 0; turn < restarts; turn++) {
      const [port, portal] = [...running][0] ?? []
      if (!port || !portal) throw new Error('there is no portal to restart')
      codes.push(await portal.stop())
      running.delete(port)
      running.set(port, await start(port))
      await wait(betweenMs)
    }
    await load.stop()
    return {
      what: `${restarts} restarts of a portal server under load, no request fails`,
      measured: `${load.failed.length} of ${load.requests} requests failed, exit codes ${codes.join(', ')} ${load.failed[0] ?? ''}`,
      holds: load.failed.length === 0 && load.requests > 100 && codes.every((code) => code === 0),
    }
  } finally {
    for (const portal of running.values()) await portal[Symbol.asyncDispose]()
  }
}

/** What a caller must not choose is not what the servers get. */
async function checkHeaders(url: string, seen: readonly IncomingHttpHeaders[]): Promise<Check> {
  await rawRequest(url, '/shown', {
    headers: {
      host: 'book.example.com',
      'x-forwarded-for': '203.0.113.7',
      'x-atrium-app-secret': 'chosen',
      'x-atrium-booking-app': 'chosen',
    },
  })
  const got = seen.at(-1) ?? {}
  const { 'x-forwarded-for': address, 'x-atrium-app-secret': secret } = got
  const booking = got['x-atrium-booking-app']
  return {
    what: 'the address of a caller is the real one, and secrets of the apps are removed',
    measured: `address ${address}, secrets ${secret ?? 'none'}, ${booking ?? 'none'}`,
    holds: /^(127\.0\.0\.1|::1)$/.test(String(address)) && !secret && !booking,
  }
}

async function startAt(testApp: TestApp, port: number): Promise<{ port: number; api: ApiProcess }> {
  const metrics = { METRICS_PORT: String(await freePort()) }
  return { port, api: await startApi(testApp, { PORT: String(port), ...metrics }) }
}

async function startProxy(kind: Kind, program: string, places: Places) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-proxy-'))
  const file = join(folder, kind.file)
  const example = await readFile(join(examples, kind.file), 'utf8')
  const moved = kind
    .adapt(example, places)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${places.api[0]}`)
    .replaceAll('127.0.0.1:4001', `127.0.0.1:${places.api[1]}`)
    .replaceAll('127.0.0.1:4100', `127.0.0.1:${places.portal[0]}`)
    .replaceAll('127.0.0.1:4101', `127.0.0.1:${places.portal[1]}`)
    .replaceAll(/127\.0\.0\.1:430[01]/g, `127.0.0.1:${places.booking}`)
  await writeFile(file, moved)
  const child = spawn(program, [...kind.args(file, folder)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  return {
    output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilReached(url: string, output: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const response = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (response?.status === 200) return
    await wait(100)
  }
  throw new Error(`the proxy does not reach the API:\n${output.join('').slice(-2_000)}`)
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done) => server.close(() => done()))
}
