import { type ClientRequest, request } from 'node:http'
import { createTRPCClient, httpBatchStreamLink } from '@trpc/client'
import { initTRPC, TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import superjson from 'superjson'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { forwardedFor } from '../src/forwarding.ts'
import type { Browser } from './browser.ts'
import { type House, type HouseOptions, openHouse } from './house.ts'

let house: House
let browser: Browser

async function signedIn(options: HouseOptions = {}): Promise<void> {
  house = await openHouse(options)
  browser = house.browser()
  await browser.signIn(house.publicUrl, options.app === 'operator' ? 'operator@atrium.test' : 'owner@acme.test')
}
const at = (path: string) => house.publicUrl + path
const lastSeen = () => {
  const seen = house.platform.seen.at(-1)
  if (!seen) throw new Error('the platform was not asked')
  return seen
}
const cookieHeader = () => {
  const name = `__Host-atrium-portal-${new URL(house.publicUrl).port}`
  return `${name}=${browser.cookie(house.publicUrl, name)?.value}`
}

/** A request written by hand: `fetch` would tidy up its address and headers. */
function raw(path: string, options: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(house.publicUrl)
    const call: ClientRequest = request({
      hostname,
      port,
      path,
      method: options.method ?? 'GET',
      headers: { cookie: cookieHeader(), ...options.headers },
    })
    call.on('error', reject)
    call.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    call.end(options.body)
  })
}

describe('the portal', () => {
  beforeAll(() => signedIn())
  afterEach(() => {
    house.platform.seen.length = 0
    house.platform.answer = undefined
  })
  afterAll(async () => {
    await house[Symbol.asyncDispose]()
  })

  describe('to the API', () => {
    it('sends the access token and its own name, and neither cookies nor the Authorization of the browser', async () => {
      await browser.fetch(at('/trpc/tenants.list?input=1'), {
        headers: { authorization: 'Bearer mine', 'x-atrium-source': 'api', 'proxy-authorization': 'x', 'x-forwarded-host': 'evil.test' },
      })
      const { headers, target } = lastSeen()
      const [stored] = await house.storedSessions()
      expect(target).toBe('/trpc/tenants.list?input=1')
      expect(headers.authorization).toBe(`Bearer ${stored?.tokens.access}`)
      expect(headers['x-atrium-source']).toBe('portal')
      for (const name of ['cookie', 'proxy-authorization', 'x-forwarded-host', 'origin', 'referer', 'sec-fetch-site'])
        expect(headers).not.toHaveProperty(name)
    })

    it('sends what the call needs: type, key, agent, tRPC headers, request id', async () => {
      const sent = {
        'idempotency-key': 'key-1',
        'user-agent': 'Tests/1',
        'x-request-id': 'request-0001',
        'trpc-accept': 'application/jsonl',
        'accept-language': 'de',
      }
      const response = await browser.post(at('/trpc/tenants.create'), { json: { name: 'A' } }, sent)
      expect(lastSeen().headers).toMatchObject({ ...sent, 'content-type': 'application/json' })
      expect(lastSeen().body).toBe('{"json":{"name":"A"}}')
      expect(response.headers.get('x-request-id')).toBe('request-0001')
    })

    it('makes a request id when the given one is not usable', async () => {
      const { headers } = await raw('/trpc/a.b', { headers: { 'x-request-id': 'a b"<script>' } })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(lastSeen().headers['x-request-id']).toBe(headers['x-request-id'])
    })

    it('names the address of the browser, whatever the request says about it', async () => {
      await browser.fetch(at('/trpc/a.b'), { headers: { 'x-forwarded-for': '203.0.113.7, 198.51.100.1', forwarded: 'for=203.0.113.7' } })
      expect(lastSeen().headers['x-forwarded-for']).toMatch(/^(127\.0\.0\.1|::1)$/)
      expect(lastSeen().headers).not.toHaveProperty('forwarded')
    })

    it.each([
      '/trpc/../users/me',
      '/trpc/%2e%2e/users/me',
      '/trpc/a.b/../../users',
      '/trpc/',
      '/trpc',
      '/trpc//users',
      '/trpc/a b',
      '/trpc/a%2fb',
      '/trpc/a.b;x',
    ])('does not pass on the address %s', async (path) => {
      expect((await raw(path.replace(' ', '%20'), { headers: { accept: 'application/json' } })).status).toBe(404)
      expect(house.platform.seen).toEqual([])
    })

    it.each(['/trpc/tenants.list,users.me?batch=1', '/trpc/tenants.list%2Cusers.me?batch=1'])('passes on the batch %s', async (path) => {
      expect((await raw(path)).status).toBe(200)
      expect(lastSeen().target).toBe(path)
    })
  })

  describe('from the API', () => {
    it('passes on status, body and headers, without cookies, hop-by-hop headers and words about tokens', async () => {
      house.platform.answer = () =>
        new Response('{"a":1}', {
          status: 418,
          headers: {
            'content-type': 'application/json',
            'x-custom': 'yes',
            'retry-after': '7',
            'set-cookie': 'evil=1',
            'www-authenticate': 'Bearer',
            'access-control-allow-origin': '*',
            connection: 'x-secret',
            'x-secret': '1',
            'content-security-policy': "default-src 'unsafe-inline'",
          },
        })
      const response = await browser.fetch(at('/trpc/a.b'))
      expect([response.status, await response.text()]).toEqual([418, '{"a":1}'])
      expect(response.headers.get('x-custom')).toBe('yes')
      expect(response.headers.get('retry-after')).toBe('7')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('content-security-policy')).not.toContain('unsafe-inline')
      for (const name of ['set-cookie', 'www-authenticate', 'access-control-allow-origin', 'x-secret'])
        expect(response.headers.has(name)).toBe(false)
    })

    it('passes on an answer without a body', async () => {
      house.platform.answer = () => new Response(null, { status: 204 })
      const response = await browser.post(at('/trpc/a.b'))
      expect([response.status, await response.text()]).toEqual([204, ''])
    })

    it('keeps the rule for caches that the API gives', async () => {
      house.platform.answer = () => Response.json({}, { headers: { 'cache-control': 'private, max-age=5' } })
      expect((await browser.fetch(at('/trpc/a.b'))).headers.get('cache-control')).toBe('private, max-age=5')
    })

    it('that sends a redirect does not lead the server anywhere', async () => {
      house.platform.answer = () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })
      expect((await browser.fetch(at('/trpc/a.b'))).status).toBe(302)
      expect(house.platform.seen).toHaveLength(1)
    })
  })

  describe.each([
    ['server-sent events', '/trpc/events', 'text/event-stream'],
    ['a streamed batch', '/trpc/batch', 'application/json'],
  ])('%s', (_what, path, type) => {
    it('arrive piece by piece, and end at the API when the browser leaves', async () => {
      const leaving = new AbortController()
      const response = await browser.fetch(at(path), { signal: leaving.signal })
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      expect((await reader?.read())?.value).toBe('data: first\n\n')
      expect(house.platform.openStreams).toBe(1)
      await house.platform.send('data: second\n\n')
      expect((await reader?.read())?.value).toBe('data: second\n\n')
      leaving.abort()
      await expect.poll(() => house.platform.openStreams).toBe(0)
    })
  })

  it('is left by a browser before the API answers, and the API hears of it', async () => {
    const ended = Promise.withResolvers<void>()
    house.platform.answer = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => ended.resolve() }))
    const leaving = new AbortController()
    const response = browser.fetch(at('/trpc/a.b'), { signal: leaving.signal }).then((answer) => answer.text())
    await expect.poll(() => house.platform.seen.length).toBe(1)
    leaving.abort()
    await expect(response).rejects.toThrow()
    await ended.promise
  })

  it('carries the calls of a tRPC client, batched and streamed', async () => {
    const t = initTRPC.create({ transformer: superjson })
    const router = t.router({
      slow: t.procedure.query(async () => {
        await new Promise((done) => setTimeout(done, 100))
        return new Date(0)
      }),
      echo: t.procedure.input((value: unknown) => String(value)).mutation(({ input }) => `said ${input}`),
      fail: t.procedure.query(() => {
        throw new TRPCError({ code: 'CONFLICT', message: 'taken' })
      }),
    })
    house.platform.answer = ({ method, target, headers, body }) => {
      const init = { method, headers, ...(method === 'POST' && { body }) }
      return fetchRequestHandler({
        endpoint: '/trpc',
        req: new Request(house.platform.url + target, init),
        router,
        createContext: () => ({}),
      })
    }
    const send = (url: unknown, init: unknown) => {
      const { headers, ...rest } = init as RequestInit
      return browser.fetch(String(url), { ...rest, headers: { ...(headers as Record<string, string>), 'sec-fetch-site': 'same-origin' } })
    }
    const link = httpBatchStreamLink({ url: at('/trpc'), transformer: superjson, fetch: (url, init) => send(url, init) })
    const client = createTRPCClient<typeof router>({ links: [link] })
    const [slow, fail] = await Promise.allSettled([client.slow.query(), client.fail.query()])
    expect(lastSeen().target).toMatch(/^\/trpc\/slow,fail\?batch=1/)
    expect(slow).toEqual({ status: 'fulfilled', value: new Date(0) })
    expect(fail).toMatchObject({ status: 'rejected', reason: { message: 'taken' } })
    expect(await client.echo.mutate('ä')).toBe('said ä')
  })

  it('cuts the connection when the API breaks off its answer, so that half of it is not taken for all', async () => {
    house.platform.answer = () => {
      let sent = false
      return new Response(
        new ReadableStream({
          async pull(controller) {
            if (sent) await new Promise((done) => setTimeout(done, 50))
            if (sent) house.platform.dropConnections()
            else controller.enqueue(new TextEncoder().encode('half'))
            sent = true
          },
        }),
      )
    }
    const response = await browser.fetch(at('/trpc/a.b'))
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  describe('refuses', () => {
    const problem = async (response: Response) => {
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      const body = (await response.json()) as { status: number; code: string; requestId: string }
      expect(body).toMatchObject({ status: response.status, requestId: response.headers.get('x-request-id') })
      return [response.status, body.code]
    }

    it('who is not signed in', async () => {
      for (const path of ['/trpc/a.b', '/api/me', '/api/verify-token']) {
        expect(await problem(await house.browser().fetch(at(path)))).toEqual([401, 'unauthenticated'])
      }
      expect(await problem(await house.browser().post(at('/api/tenants'), {}))).toEqual([401, 'unauthenticated'])
      expect(house.platform.seen).toEqual([])
    })

    it.each<[string, Record<string, string>]>([
      ['neither header', {}],
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['another site under the same domain', { 'sec-fetch-site': 'same-site' }],
      ['no page at all', { 'sec-fetch-site': 'none' }],
      ['the Origin of another site', { origin: 'https://evil.test' }],
      ['the Origin null', { origin: 'null' }],
      ['the right Origin but another site by its own word', { 'sec-fetch-site': 'cross-site', origin: 'self' }],
      ['an Origin that begins like ours', { origin: 'self.evil.test' }],
    ])('a change with %s', async (_what, headers) => {
      const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(/^self/, house.publicUrl)]))
      for (const path of ['/trpc/tenants.create', '/api/tenants', '/api/flags/evaluate', '/auth/logout']) {
        const response = await browser.fetch(at(path), {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...filled },
          body: '{}',
        })
        expect(await problem(response)).toEqual([403, 'cross_origin'])
      }
      expect(house.platform.seen).toEqual([])
    })

    it('no change with the Origin of this site, from browsers without fetch metadata', async () => {
      const response = await browser.fetch(at('/trpc/a.b'), {
        method: 'POST',
        headers: { origin: house.publicUrl, 'content-type': 'application/json' },
        body: '{}',
      })
      expect(response.status).toBe(200)
    })

    it.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain', 'application/json-patch', ''])(
      'a body of type "%s"',
      async (type) => {
        expect(await problem(await browser.post(at('/trpc/a.b'), '{}', { 'content-type': type }))).toEqual([415, 'unsupported_media_type'])
        expect(house.platform.seen).toEqual([])
      },
    )

    it('a body over 1 MiB, announced or not', async () => {
      const large = JSON.stringify('x'.repeat(1024 * 1024))
      expect(await problem(await browser.post(at('/trpc/a.b'), large))).toEqual([413, 'too_large'])
      const pieces = new ReadableStream({
        start(controller) {
          for (let n = 0; n < 20; n++) controller.enqueue(new Uint8Array(100_000).fill(0x20))
          controller.close()
        },
      })
      const streamed = browser.fetch(at('/trpc/a.b'), {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        body: pieces,
        duplex: 'half',
      } as RequestInit)
      expect(await problem(await streamed)).toEqual([413, 'too_large'])
      expect(house.platform.seen).toEqual([])
    })

    it('other methods on tRPC', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await browser.fetch(at('/trpc/a.b'), { method, headers: { 'sec-fetch-site': 'same-origin' } })
        expect(await problem(response)).toEqual([405, 'method_not_allowed'])
      }
    })

    it('addresses that it does not have, and those of the operator', async () => {
      for (const path of ['/api/nothing', '/api', '/api/audit', '/api/audit/export']) {
        expect(await problem(await browser.fetch(at(path), { headers: { accept: 'text/html' } }))).toEqual([404, 'not_found'])
      }
      expect(await problem(await browser.post(at('/api/users/invite'), {}))).toEqual([404, 'not_found'])
      expect(house.platform.seen).toEqual([])
    })
  })

  describe('its own routes', () => {
    it('GET /api/me adds groups, subscription and partner mode to the stored user', async () => {
      const me = await (await browser.fetch(at('/api/me'))).json()
      expect(lastSeen()).toMatchObject({ method: 'GET', target: '/users/me' })
      expect(me).toMatchObject({
        name: 'Anna Owner',
        tenants: [{ slug: 'acme' }],
        partner: null,
        subscription: null,
        partnerMode: false,
        groups: ['acme'],
      })
    })

    it('GET /api/me passes a refusal of the API on, and tells of an answer that makes no sense', async () => {
      house.platform.answer = () => Response.json({ code: 'user_deactivated' }, { status: 403 })
      const refused = await browser.fetch(at('/api/me'))
      expect([refused.status, await refused.json()]).toEqual([403, { code: 'user_deactivated' }])
      house.platform.answer = () => new Response('<html>')
      expect((await browser.fetch(at('/api/me'))).status).toBe(502)
    })

    it('GET /api/verify-token tells what the access token says, every group once', async () => {
      const [stored] = await house.storedSessions()
      const claims = JSON.parse(Buffer.from(stored?.tokens.access.split('.')[1] ?? '', 'base64url').toString())
      expect(claims.groups).toEqual(['acme', 'acme'])
      expect(await (await browser.fetch(at('/api/verify-token'))).json()).toEqual({
        iss: house.sandbox.issuers.portal,
        aud: ['atrium-portal'],
        sub: claims.sub,
        groups: ['acme'],
      })
    })

    it('POST /api/tenants and reconcile go to the platform', async () => {
      await browser.post(at('/api/tenants'), { name: 'Acme' }, { 'idempotency-key': 'k' })
      expect(lastSeen()).toMatchObject({ method: 'POST', target: '/tenants', body: '{"name":"Acme"}', headers: { 'idempotency-key': 'k' } })
      await browser.post(at('/api/tenants/acme/reconcile'))
      expect(lastSeen()).toMatchObject({ method: 'POST', target: '/tenants/acme/reconcile', body: '' })
      const before = house.platform.seen.length
      for (const slug of ['..', '%2e%2e', 'a%2Fb', 'A', 'a%3Fx']) {
        expect((await raw(`/api/tenants/${slug}/reconcile`, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(
          404,
        )
      }
      expect(house.platform.seen).toHaveLength(before)
    })

    it('POST /api/flags/evaluate takes the tenant of the body, else the first group that is a tenant', async () => {
      await browser.post(at('/api/flags/evaluate'), { tenantSlug: 'globex' })
      expect(lastSeen()).toMatchObject({ target: '/flags/evaluate', body: '{"tenantSlug":"globex"}' })
      await browser.post(at('/api/flags/evaluate'))
      expect(lastSeen()).toMatchObject({
        target: '/flags/evaluate',
        body: '{"tenantSlug":"acme"}',
        headers: { 'content-type': 'application/json' },
      })
      expect((await browser.post(at('/api/flags/evaluate'), '[1]')).status).toBe(400)
      expect((await browser.post(at('/api/flags/evaluate'), '{')).status).toBe(400)
    })
  })

  it('answers 503 while the API is away, and works again afterwards', async () => {
    const other = await openHouse()
    const person = other.browser()
    await person.signIn(other.publicUrl, 'owner@acme.test')
    await person.fetch(`${other.publicUrl}/trpc/a.b`)
    await other.platform[Symbol.asyncDispose]()
    const response = await person.fetch(`${other.publicUrl}/trpc/a.b`)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'unavailable' }])
    await other[Symbol.asyncDispose]()
  })
})

describe('the operator app', () => {
  beforeAll(() => signedIn({ app: 'operator' }))
  afterAll(async () => {
    await house[Symbol.asyncDispose]()
  })

  it.each(['?action=tenant.*&q=a%20b', "?q='a'&x=%27", '?q=%C3%BC&since=2026-01-01T00:00:00%2B02:00', '?a=1&a=2&b', '?q=|{}^`', '?', ''])(
    'forwards the audit query %s byte for byte',
    async (query) => {
      const name = `__Host-atrium-operator-${new URL(house.publicUrl).port}`
      const cookie = `${name}=${browser.cookie(house.publicUrl, name)?.value}`
      expect((await raw(`/api/audit${query}`, { headers: { cookie } })).status).toBe(200)
      expect(lastSeen()).toMatchObject({ method: 'GET', target: `/audit${query}`, headers: { 'x-atrium-source': 'operator' } })
    },
  )

  it('hands an export through under the name that the API gives it', async () => {
    house.platform.answer = () =>
      new Response('id,action\n', { headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="audit.csv"' } })
    const response = await browser.fetch(at('/api/audit/export?format=csv'))
    expect(lastSeen().target).toBe('/audit/export?format=csv')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    expect(await response.text()).toBe('id,action\n')
    house.platform.answer = undefined
  })

  it('forwards invitations', async () => {
    await browser.post(at('/api/users/invite'), { name: 'A', email: 'a@b.test' })
    expect(lastSeen()).toMatchObject({ method: 'POST', target: '/users/invite', body: '{"name":"A","email":"a@b.test"}' })
  })

  it('takes no administrator group for a tenant when flags are evaluated', async () => {
    await browser.post(at('/api/flags/evaluate'))
    expect(lastSeen().body).toBe('{}')
  })

  it('gets tokens for its own audience', async () => {
    expect(await (await browser.fetch(at('/api/verify-token'))).json()).toMatchObject({
      aud: ['atrium-operator'],
      groups: ['platform-admins'],
    })
  })
})

describe('X-Forwarded-For', () => {
  it.each<[string, string | undefined, string | undefined, number, string]>([
    ['no proxy in front', undefined, '203.0.113.9', 0, '203.0.113.9'],
    ['no proxy in front, header made up', '1.1.1.1', '203.0.113.9', 0, '203.0.113.9'],
    ['one proxy', '198.51.100.1', '10.0.0.1', 1, '198.51.100.1, 10.0.0.1'],
    ['one proxy, header begun by the sender', '1.1.1.1, 2.2.2.2, 198.51.100.1', '10.0.0.1', 1, '198.51.100.1, 10.0.0.1'],
    ['two proxies', '1.1.1.1, 198.51.100.1, 10.0.0.2', '10.0.0.1', 2, '198.51.100.1, 10.0.0.2, 10.0.0.1'],
    ['a proxy that sent none', undefined, '10.0.0.1', 1, '10.0.0.1'],
    ['what is no address', "x' or 1=1, <b>", '10.0.0.1', 2, '10.0.0.1'],
    ['IPv4 on a dual-stack socket', '::ffff:198.51.100.1', '::ffff:10.0.0.1', 1, '198.51.100.1, 10.0.0.1'],
    ['IPv6', '2001:db8::1', '::1', 1, '2001:db8::1, ::1'],
    ['a socket that is gone', undefined, undefined, 0, ''],
  ])('with %s', (_what, given, peer, hops, expected) => {
    expect(forwardedFor(given, peer, hops)).toBe(expected)
  })

  it('keeps what the configured proxies appended', async () => {
    await signedIn({ trustedProxyHops: 1 })
    await browser.fetch(at('/trpc/a.b'), { headers: { 'x-forwarded-for': '1.1.1.1, 198.51.100.1' } })
    expect(lastSeen().headers['x-forwarded-for']).toMatch(/^198\.51\.100\.1, (127\.0\.0\.1|::1)$/)
    await house[Symbol.asyncDispose]()
  })
})

it('a stream ends soon after the session behind it has', async () => {
  await signedIn({ bff: { streamCheckMs: 20 } })
  const response = await browser.fetch(at('/trpc/events'))
  const reader = response.body?.getReader()
  await reader?.read()
  const elsewhere = house.browser()
  const name = `__Host-atrium-portal-${new URL(house.publicUrl).port}`
  elsewhere.setCookie(house.publicUrl, name, browser.cookie(house.publicUrl, name)?.value ?? '')
  await elsewhere.post(at('/auth/logout'))
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
  await expect.poll(() => house.platform.openStreams).toBe(0)
  await house[Symbol.asyncDispose]()
})
