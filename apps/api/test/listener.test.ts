import { Agent, createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let server: Server
let owner: string

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  owner = await testApp.token('owner@acme.test')
  server = createServer(testApp.app.listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  await new Promise((done) => server.close(done))
  await testApp[Symbol.asyncDispose]()
})

/**
 * Sends one GET on a connection that may be kept, and returns what the server said of the
 * connection.
 */
function get(path: string, headers: Record<string, string | string[]> = {}, method = 'GET') {
  const agent = new Agent({ keepAlive: true })
  const { port } = server.address() as AddressInfo
  const sent = {
    port,
    path,
    method,
    agent,
    headers: { authorization: `Bearer ${owner}`, ...headers },
  }
  return new Promise<{
    status: number
    connection: string | undefined
    requestId: unknown
    body: string
  }>((done, failed) => {
    httpRequest(sent, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk) => (body += chunk))
      response.on('end', () => {
        agent.destroy()
        const { connection, 'x-request-id': requestId } = response.headers
        done({ status: response.statusCode ?? 0, connection, requestId, body })
      })
    })
      .on('error', failed)
      .end()
  })
}

const logged = (requestId: string) =>
  testApp.logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId)

describe('a request over a socket', () => {
  it('leaves one line in the log and is counted under its pattern', async () => {
    await get('/tenants/acme?expand=domains', { 'x-request-id': 'a-line-of-its-own' })
    await expect.poll(() => logged('a-line-of-its-own')).toHaveLength(1)
    const [line] = logged('a-line-of-its-own')
    expect(line).toMatchObject({
      method: 'GET',
      path: '/tenants/acme',
      route: '/tenants/{slug}',
      status: 200,
      tenant: 'acme',
    })
    const metrics = await testApp.app.services.metrics.registry.metrics()
    expect(metrics).toContain(
      'http_request_duration_seconds_count{method="GET",route="/tenants/{slug}",status="200"} 1',
    )
  })

  it('joins repeated headers, so that two tokens are no token', async () => {
    expect(
      (await get('/tenants/acme', { authorization: [`Bearer ${owner}`, `Bearer ${owner}`] }))
        .status,
    ).toBe(401)
  })

  it('survives a client that goes away', async () => {
    const { port } = server.address() as AddressInfo
    for (let i = 0; i < 20; i++) {
      const leaving = httpRequest({
        port,
        path: '/tenants/acme',
        headers: { authorization: `Bearer ${owner}` },
        agent: false,
      })
      leaving.on('error', () => {}).end()
      await new Promise((done) => leaving.once('socket', (socket) => socket.once('connect', done)))
      leaving.destroy()
    }
    expect((await get('/tenants/acme')).status).toBe(200)
  })
})

describe('a probe', () => {
  it('keeps a usable request id and makes another one otherwise', async () => {
    expect((await get('/health', { 'x-request-id': 'probe-000001' })).requestId).toBe(
      'probe-000001',
    )
    expect((await get('/health', { 'x-request-id': 'a b' })).requestId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is answered with a query and as HEAD, and other methods are rejected', async () => {
    expect((await get('/health?probe=1')).status).toBe(200)
    expect(await get('/health', {}, 'HEAD')).toMatchObject({ status: 200, body: '' })
    expect((await get('/health', {}, 'DELETE')).status).toBe(404)
  })

  it('is counted, and a successful one is not logged', async () => {
    await get('/health', { 'x-request-id': 'probe-of-a-balancer' })
    await get('/tenants/acme', { 'x-request-id': 'behind-the-probe' })
    await expect.poll(() => logged('behind-the-probe')).toHaveLength(1)
    expect(logged('probe-of-a-balancer')).toEqual([])
    expect(await testApp.app.services.metrics.registry.metrics()).toMatch(
      /duration_seconds_count\{method="GET",route="\/health",status="200"\} \d/,
    )
  })
})

describe('a kept connection', () => {
  const paths = ['/tenants/acme', '/trpc/users.me', '/health']
  it.each(paths)('is kept after %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 200, connection: 'keep-alive' })
  })

  it('is closed after each response while the process is about to stop', async () => {
    testApp.app.drain()
    for (const path of paths)
      expect(await get(path)).toMatchObject({ status: 200, connection: 'close' })
  })
})
