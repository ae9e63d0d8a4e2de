import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@atrium/db/server/free-port'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterEach, expect, it } from 'vitest'
import type { RunningServer } from '../src/listening.ts'
import { startAppServer } from '../src/server.ts'

let testBff: TestBff | undefined
let server: RunningServer | undefined
afterEach(async () => {
  await server?.close()
  await testBff?.[Symbol.asyncDispose]()
  server = undefined
  testBff = undefined
})

async function start(metricsPort: number | undefined): Promise<RunningServer> {
  testBff ??= await startTestBff()
  return startAppServer({
    app: 'portal',
    env: {
      ...testBff.env,
      LOG_LEVEL: 'silent',
      ...(metricsPort !== undefined && { METRICS_PORT: String(metricsPort) }),
    },
    distDir: testBff.distDir,
  })
}

it('a portal serves its metrics on a port of their own, by route pattern', async () => {
  const port = await freePort()
  server = await start(port)
  const own = `http://127.0.0.1:${server.port}`
  for (const path of ['/health', '/health', '/trpc/tenants.get', '/invitations/x', '/nothing/here'])
    await (await fetch(own + path)).text()
  const token = `secret${'0'.repeat(40)}`
  await (await fetch(`${own}/invitation/${token}`)).text()

  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  const text = await response.text()
  const counted = [...text.matchAll(/^http_request_duration_seconds_count\{(.+)\} (\d+)$/gm)]
  const count = (labels: string) => counted.find(([, found]) => found === labels)?.[2]
  expect(count('method="GET",route="/health",status="200"')).toBe('2')
  expect(count('method="GET",route="/trpc/*",status="401"')).toBe('1')
  // What follows is in no label: neither a secret nor a series for each address that is tried.
  expect(text).not.toContain(token)
  expect(text).not.toContain('nothing')
  expect(text).toMatch(/^build_info\{version="[^"]+",commit="[^"]+"\} 1$/m)
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds')

  // The port has nothing else, and the pages do not have it.
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(404)
  const page = await fetch(`${own}/metrics`)
  expect(await page.text()).not.toContain('build_info')

  await server.close()
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
}, 60_000)

it('a portal without the setting has no metrics', async () => {
  server = await start(undefined)
  expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200)
}, 60_000)

it('a portal whose metrics port is taken does not start, and says which', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => other.once('listening', done))
  const { port } = other.address() as AddressInfo
  try {
    await expect(start(port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken.`)
  } finally {
    other.close()
  }
}, 60_000)
