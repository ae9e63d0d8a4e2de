import { Writable } from 'node:stream'
import { createLogger } from '@atrium/bff/log'
import type { Metrics } from '@atrium/bff/metrics'
import { createBookingApp } from '../src/app.ts'
import type { Assets } from '../src/assets.ts'
import { sealForm } from '../src/form-seal.ts'
import { createFakeApi, type FakeApi, now } from './fake-api.ts'

export const secret = 'the-secret-of-the-booking-app-in-tests'

/** The build is none of these tests' business. */
const assets: Assets = {
  style: 'body{margin:0}',
  scriptPath: '/assets/page.test.js',
  scriptIntegrity: 'sha384-test',
  script: async () => undefined,
  embed: async () => new Response('embed'),
}

export interface OpenPages {
  app: ReturnType<typeof createBookingApp>
  api: FakeApi
  /** Every log line so far. */
  logs(): string
  get(path: string, headers?: Record<string, string>): Promise<Shown>
  raw(path: string, headers: Record<string, string>): Promise<Response>
  /** Sends a form; its seal is good unless another one is given. */
  post(
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Shown>
}

export interface Shown {
  status: number
  headers: Headers
  html: string
}

/** The pages on an API in memory, at the moment that it calls now. */
export function openPages({
  draining,
  metrics,
}: {
  draining?: AbortSignal
  metrics?: Metrics | undefined
} = {}): OpenPages {
  const api = createFakeApi()
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const app = createBookingApp({
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'https://book.test',
      apiUrl: 'http://api.test',
      appSecret: secret,
      trustedProxyHops: 0,
      drainSeconds: 0,
      logLevel: 'debug',
    },
    assets,
    log: createLogger('atrium-booking', 'debug', destination),
    connect: (c) => api.connect(c),
    now: () => now,
    metrics,
    ...(draining && { draining }),
  })
  const show = async (response: Response): Promise<Shown> => ({
    status: response.status,
    headers: response.headers,
    html: await response.text(),
  })
  return {
    app,
    api,
    logs: () => lines.join(''),
    get: async (path, headers = {}) =>
      show(await app.request(path, { headers: { 'accept-language': 'en-GB', ...headers } })),
    raw: async (path, headers) => app.request(path, { headers }),
    post: async (path, fields, headers = {}) => {
      const seal = sealForm(secret, path.replace(/\/book$/, ''), now - 10_000)
      return show(
        await app.request(path, {
          method: 'POST',
          body: new URLSearchParams({ seal, ...fields }),
          headers: { 'accept-language': 'en-GB', ...headers },
        }),
      )
    },
  }
}
