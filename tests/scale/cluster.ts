import { freePort } from '@atrium/db/server/free-port'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { type ReplicatedDatabase, startReplicated } from '@atrium/testing/postgres/replicated'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { type Balancer, openBalancer } from './balancer.ts'
import { type Pooler, startPooler } from './pooler.ts'

/** A process of the service with what a test asks of it besides. */
export interface ScaledProcess extends ApiProcess {
  /** The Prometheus text of this process. */
  metrics(): Promise<string>
}

/**
 * Several processes of the service behind one address, on a database of their own, with the sandbox
 * as the outside world.
 */
export interface ScaledTestApp extends AsyncDisposable {
  readonly database: ReplicatedDatabase
  /** Undefined where the service reaches its database directly. */
  readonly pooler: Pooler | undefined
  readonly testApp: TestApp
  readonly balancer: Balancer
  /** Those that run, oldest first. */
  readonly processes: readonly ScaledProcess[]
  /** Starts one more and resolves once the address sends requests to it. */
  start(env?: Record<string, string>): Promise<ScaledProcess>
  /** SIGTERM; resolves with the exit code. */
  stop(process: ScaledProcess): Promise<number | null>
  /** A request to the address, or to one process of it; the body is parsed where there is one. */
  send(method: string, path: string, options?: SendOptions): Promise<Told>
}

export interface SendOptions {
  token?: string
  body?: object
  headers?: Record<string, string>
  /** Instead of the common address. */
  to?: ScaledProcess
}

export interface Told {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brought
  body: any
}

export interface ScaleOptions {
  processes?: number
  /** Whether a standby follows that reports and audit searches are read from. */
  standby?: boolean
  /**
   * The program of a PgBouncer of at least 1.21; the service then reaches its database through it
   * in transaction mode.
   */
  pooler?: string
  /** Where browsers reach the portals, when there are any. */
  portalOrigin?: string
  env?: Record<string, string>
}

export async function startScaledTestApp(options: ScaleOptions = {}): Promise<ScaledTestApp> {
  const opened: AsyncDisposable[] = []
  const closeAll = async () => {
    for (const one of opened.reverse()) await one[Symbol.asyncDispose]()
  }
  try {
    const database = await startReplicated({ standby: options.standby ?? false })
    opened.push(database)
    const balancer = await openBalancer()
    opened.push(balancer)
    const env: Record<string, string> = {
      ...(database.standby
        ? { DATABASE_REPLICA_URL: onPort(database.accounts.appUrl, database.standby.port) }
        : {}),
      // Several times as long as the balancer takes to look, also on a machine that is busy with
      // other things.
      SHUTDOWN_DRAIN_SECONDS: '1.5',
      TRUSTED_PROXY_HOPS: '1',
    }
    const pooler = options.pooler
      ? await startPooler(options.pooler, database.accounts, database.primary.port)
      : undefined
    if (pooler) {
      opened.push(pooler)
      Object.assign(env, {
        DATABASE_URL: pooler.appUrl,
        DATABASE_DIRECT_URL: database.accounts.appUrl,
      })
    }
    const testApp = await startTestApp({
      accounts: database.accounts,
      provisioned: false,
      manyChanges: true,
      mailer: true,
      sandbox: {
        identity: { accessTokenSeconds: 4 * 3600 },
        ...(options.portalOrigin
          ? {
              apps: {
                portal: { origin: options.portalOrigin },
                operator: { origin: options.portalOrigin },
              },
            }
          : {}),
      },
      env: { ...env, ...options.env },
    })
    opened.push(testApp)
    const processes = new Set<ScaledProcess>()
    opened.push({
      async [Symbol.asyncDispose]() {
        await Promise.all([...processes].map((one) => one[Symbol.asyncDispose]()))
      },
    })

    async function start(own: Record<string, string> = {}): Promise<ScaledProcess> {
      const metricsPort = await freePort()
      const api = await startApi(testApp, { METRICS_PORT: String(metricsPort), ...own })
      const scaled = {
        ...api,
        metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
      }
      processes.add(scaled)
      balancer.add(scaled.url)
      await balancer.untilReady(scaled.url)
      return scaled
    }
    await Promise.all(Array.from({ length: options.processes ?? 2 }, () => start()))
    return {
      database,
      pooler,
      testApp,
      balancer,
      get processes() {
        return [...processes]
      },
      start,
      async stop(process) {
        process.signal('SIGTERM')
        const code = await process.ended
        processes.delete(process)
        balancer.remove(process.url)
        return code
      },
      send: (method, path, { to, ...rest } = {}) =>
        send(`${(to ?? balancer).url}${path}`, method, rest),
      [Symbol.asyncDispose]: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** A request to an address; the body is parsed where it is JSON. Gives up after a minute. */
export async function send(
  url: string,
  method: string,
  { token, body, headers }: Omit<SendOptions, 'to'>,
): Promise<Told> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: json && text !== '' ? JSON.parse(text) : text,
  }
}

/** The same database on another port of loopback. */
export function onPort(url: string, port: number): string {
  const address = new URL(url)
  address.port = String(port)
  return address.toString()
}
