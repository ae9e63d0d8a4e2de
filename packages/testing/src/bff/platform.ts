import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import { decodeJwt } from 'jose'

export interface SeenRequest {
  method: string
  /** Path and query as they came on the wire. */
  target: string
  headers: Record<string, string>
  body: string
  /** Resolves when the caller disconnects before it has the whole response. */
  left: Promise<void>
}

/**
 * A test API: checks that a token is present and current, records what it received, and returns
 * what it is configured to.
 */
export interface FakePlatform extends AsyncDisposable {
  url: string
  seen: SeenRequest[]
  /** Access tokens that are rejected with 401 although they have not expired. */
  refused: Set<string>
  /** Returns every request in its stead; undefined leaves it to the usual routes. */
  answer: ((request: SeenRequest) => Response | Promise<Response> | undefined) | undefined
  /** Streams that were begun and not yet ended or abandoned. */
  openStreams: number
  dropConnections(): void
  /** Sends a piece on every open stream. */
  send(piece: string): Promise<void>
}

export const user = {
  id: '0190a000-0000-7000-8000-000000000001',
  idpSubjectId: 'subject',
  email: 'owner@acme.test',
  name: 'Anna Owner',
  firstName: null,
  lastName: null,
  phone: null,
  alternativeEmail: null,
  language: null,
  platformAdmin: false,
  partnerId: null,
  partner: null,
  tenantIds: ['0190a000-0000-7000-8000-000000000002'],
  tenantRoles: { '0190a000-0000-7000-8000-000000000002': 'owner' },
  tenants: [
    {
      id: '0190a000-0000-7000-8000-000000000002',
      slug: 'acme',
      name: 'Acme',
      status: 'active',
      role: 'owner',
      brandColor: null,
      language: null,
    },
  ],
  status: 'active',
  deactivatedAt: null,
  lastSeenAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

export async function startPlatform(): Promise<FakePlatform> {
  const writers = new Set<(piece: string) => Promise<unknown>>()
  const platform = {
    url: '',
    seen: [] as SeenRequest[],
    refused: new Set<string>(),
    answer: undefined as FakePlatform['answer'],
    openStreams: 0,
    send: async (piece: string) => {
      await Promise.all([...writers].map((write) => write(piece)))
    },
  }
  const app = new Hono<{ Bindings: { incoming: { url: string } } }>()
  app.use(async (c, next) => {
    const { signal } = c.req.raw
    const left = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    const seen = {
      method: c.req.method,
      target: c.env.incoming.url,
      headers: c.req.header(),
      body: await c.req.text(),
      left,
    }
    platform.seen.push(seen)
    // Its token is that of a mailed link, and no access token.
    if (/^\/(invitations\/(link|open|accept|decline)|unsubscribe)$/.test(seen.target))
      return (await platform.answer?.(seen)) ?? next()
    const token = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1]
    if (!token || platform.refused.has(token) || (decodeJwt(token).exp ?? 0) * 1000 <= Date.now()) {
      return c.json({ code: 'token_expired' }, 401, {
        'www-authenticate': 'Bearer',
        'content-type': 'application/problem+json',
      })
    }
    return (await platform.answer?.(seen)) ?? next()
  })
  for (const [path, type] of [
    ['/trpc/events', 'text/event-stream'],
    ['/trpc/batch', 'application/json'],
  ] as const) {
    app.get(path, (c) => {
      c.header('content-type', type)
      return stream(c, async (out) => {
        platform.openStreams++
        const write = (piece: string) => out.write(piece)
        writers.add(write)
        const gone = new Promise<void>((resolve) => out.onAbort(resolve))
        await out.write('data: first\n\n')
        await gone
        writers.delete(write)
        platform.openStreams--
      })
    })
  }
  app.get('/users/me', (c) =>
    c.json({
      ...user,
      platformAdmin:
        decodeJwt(c.req.header('authorization')?.slice(7) ?? '').email === 'operator@atrium.test',
    }),
  )
  app.all('*', (c) => c.json({ ok: true }))

  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return Object.assign(platform, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  })
}
