import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createLiveness, type Liveness } from '../src/liveness.ts'
import { createMetrics } from '../src/metrics.ts'

interface Told {
  status: number
  requestId: string | undefined
  body: string
}
type Ask = (path: string, init?: { method?: string; headers?: Record<string, string> }) => Promise<Told | undefined>

const byFetch =
  (liveness: Liveness): Ask =>
  async (path, init = {}) => {
    const response = liveness.fetch(new Request(`http://api.test${path}`, init))
    if (!response) return undefined
    return { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined, body: await response.text() }
  }

/** Over a real socket; an answer 599 stands for what is left to the app. */
const bySocket =
  (liveness: Liveness): Ask =>
  async (path, { method = 'GET', headers = {} } = {}) => {
    const server = createServer((incoming, outgoing) => {
      if (!liveness.handle(incoming, outgoing, false)) outgoing.writeHead(599).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const told = await new Promise<Told & { headers: IncomingHttpHeaders }>((resolve, reject) => {
      httpRequest({ port, path, method, headers, agent: false }, (response) => {
        let body = ''
        response.on('data', (chunk) => (body += chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            requestId: String(response.headers['x-request-id']),
            body,
            headers: response.headers,
          }),
        )
      })
        .on('error', reject)
        .end()
    })
    await new Promise((done) => server.close(done))
    return told.status === 599 ? undefined : told
  }

describe.each([
  ['through the app', byFetch],
  ['on the socket', bySocket],
])('liveness %s', (_, way) => {
  function setUp() {
    let now = Date.parse('2026-11-21T10:00:00Z')
    const metrics = createMetrics()
    const ask = way(createLiveness({ clock: { now: () => new Date(now) }, metrics }))
    return { ask, metrics, wait: (seconds: number) => (now += seconds * 1000) }
  }

  it('tells name, version and whole seconds since the start', async () => {
    const { ask, wait } = setUp()
    wait(61.9)
    const answer = await ask('/health')
    expect(answer?.status).toBe(200)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ service: 'atrium-platform-api', status: 'ok', uptimeSeconds: 61 })
  })

  it('keeps a usable request id and makes one otherwise', async () => {
    const { ask } = setUp()
    expect((await ask('/health', { headers: { 'x-request-id': 'probe-000001' } }))?.requestId).toBe('probe-000001')
    expect((await ask('/health', { headers: { 'x-request-id': 'a b' } }))?.requestId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('answers HEAD without a body and ignores a query', async () => {
    const { ask } = setUp()
    expect(await ask('/health', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect((await ask('/health?probe=1'))?.status).toBe(200)
  })

  it.each([['/health/ready'], ['/healthy'], ['/'], ['/tenants/health'], ['//health']])('leaves %s to the app', async (path) => {
    expect(await setUp().ask(path)).toBeUndefined()
  })

  it('leaves other methods to the app', async () => {
    expect(await setUp().ask('/health', { method: 'POST' })).toBeUndefined()
  })

  it('is counted like any other request', async () => {
    const { ask, metrics } = setUp()
    await ask('/health')
    await ask('/health')
    expect(await metrics.registry.metrics()).toContain('http_request_duration_seconds_count{method="GET",route="/health",status="200"} 2')
  })
})
