import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLogger } from '../src/log.ts'
import { createHonoListener } from '../src/transport/hono-listener.ts'

const lines: string[] = []
let fileIsThere = false
const listener = createHonoListener(
  async (request) => new Response(`got ${await request.text()}`),
  createLogger('info', { write: (line: string) => lines.push(line) }),
  async () => {
    if (!fileIsThere) throw new Error('the file is gone')
    return import('@hono/node-server')
  },
)
const server = createServer(listener)
let url: string
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => new Promise((done) => server.close(done)))

it('answers 503 where its part cannot be loaded, and tries again with the next request', async () => {
  const refused = await fetch(url, { method: 'POST', body: 'first' })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(lines.join('')).toContain('what hands requests to Hono could not be loaded')

  fileIsThere = true
  // Several at once, with bodies that arrive before anybody reads them.
  const bodies = ['second', 'third', 'x'.repeat(200_000)]
  const answers = await Promise.all(bodies.map((body) => fetch(url, { method: 'POST', body }).then((answer) => answer.text())))
  expect(answers).toEqual(bodies.map((body) => `got ${body}`))
})
