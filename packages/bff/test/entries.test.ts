import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../src/listening.ts'

const page = await readFile(
  join(import.meta.dirname, '../../../docs/reference/security.md'),
  'utf8',
)
const [, section = ''] = page.split('\n### Portals\n')
const rows = (section.split('\n### ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
const entries = rows.flatMap((row) =>
  [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, entry = '']) => entry),
)

const routesOf = ({ routes }: TestBff) =>
  routes
    // Middleware, and what answers for every path.
    .filter(
      ({ method, path }) =>
        path !== '/*' && !(method === 'ALL' && path.endsWith('*') && path !== '/trpc/*'),
    )
    .flatMap(({ method, path }) =>
      (method === 'ALL' ? ['GET', 'POST'] : [method]).map((one) => ({ method: one, path })),
    )

/** Calls without a session, with a body beyond the limit. */
async function call(
  { publicUrl }: TestBff,
  { method, path }: { method: string; path: string },
): Promise<number> {
  const target = path.replace('/trpc/*', '/trpc/users.me').replace('/*', '/x').replace(/:\w+/g, 'x')
  const response = await fetch(publicUrl + target, {
    method,
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify('x'.repeat(1024 * 1024)) }),
  })
  await response.arrayBuffer()
  return response.status
}

describe.each(['portal', 'operator'] as const)('without a session, the server of the %s', (app) => {
  let testBff: TestBff
  beforeAll(async () => {
    testBff = await startTestBff({ app, env: { MAIL_PUBLIC_HOST: 'mail.example.test' } })
  })
  afterAll(() => testBff[Symbol.asyncDispose]())

  it('rejects each call before it reads a body, or docs/reference/security.md lists it', async () => {
    const open = new Set(entries)
    const unlisted: string[] = []
    for (const route of routesOf(testBff)) {
      if (open.has(`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)) continue
      const status = await call(testBff, route)
      if (status !== 401) unlisted.push(`${route.method} ${route.path}: ${status}`)
    }
    expect(unlisted).toEqual([])
    expect(testBff.platform.seen).toEqual([])
  })

  it('has each entry that docs/reference/security.md lists', () => {
    const there = new Set(
      testBff.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    const missing = entries.filter((entry) => !there.has(entry))
    expect(missing).toEqual(
      app === 'portal'
        ? []
        : [
            'GET /mail-profile/{token}',
            'GET /invitation/{token}',
            'POST /invitation/{token}',
            'GET /claim/{token}',
            'POST /claim/{token}',
            'GET /unsubscribe/{token}',
            'POST /unsubscribe/{token}',
          ],
    )
  })

  it('reads no body where it takes none', async () => {
    for (const path of ['/auth/logout', ...(app === 'portal' ? ['/invitation/not.a.token'] : [])]) {
      expect(await call(testBff, { method: 'POST', path }), path).toBeLessThan(405)
    }
  })
})

it('headers above 16 KiB are rejected, the address among them', async () => {
  const server = await listen({
    fetch: () => new Response('reached'),
    host: '127.0.0.1',
    port: 0,
    drainSeconds: 0,
  })
  try {
    const statusOf = (path: string, headers: Record<string, string>) =>
      new Promise<number | undefined>((done, fail) => {
        request(
          { host: '127.0.0.1', port: server.port, path, headers, agent: false },
          (response) => {
            response.resume()
            done(response.statusCode)
          },
        )
          .on('error', fail)
          .end()
      })
    expect(await statusOf('/', { 'x-large': 'a'.repeat(15 * 1024) })).toBe(200)
    expect(await statusOf('/', { 'x-large': 'a'.repeat(16 * 1024) })).toBe(431)
    expect(await statusOf(`/${'a'.repeat(16 * 1024)}`, {})).toBe(431)
  } finally {
    await server.close()
  }
})
