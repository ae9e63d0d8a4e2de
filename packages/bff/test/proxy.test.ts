import type { Browser } from '@atrium/testing/bff/browser'
import { type SignedInBff, startSignedInBff } from '@atrium/testing/bff/signed-in-bff'
import { startTestBff, type TestBffOptions } from '@atrium/testing/bff/test-bff'
import { createTRPCClient, httpBatchStreamLink } from '@trpc/client'
import { initTRPC, TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import superjson from 'superjson'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { forwardedFor } from '../src/forwarding.ts'

let testBff: SignedInBff
let browser: Browser

async function signedIn(options: TestBffOptions = {}): Promise<void> {
  testBff = await startSignedInBff(options)
  browser = testBff.signedIn
}
const at = (path: string) => testBff.publicUrl + path
describe('the portal', () => {
  beforeAll(() => signedIn())
  afterEach(() => {
    testBff.platform.seen.length = 0
    testBff.platform.answer = undefined
  })
  afterAll(async () => {
    await testBff[Symbol.asyncDispose]()
  })

  describe('to the API', () => {
    it('sends the access token and its own name, and neither cookies nor the Authorization of the browser', async () => {
      await browser.fetch(at('/trpc/tenants.list?input=1'), {
        headers: {
          authorization: 'Bearer mine',
          'x-atrium-source': 'api',
          'proxy-authorization': 'x',
          'x-forwarded-host': 'evil.test',
        },
      })
      const { headers, target } = testBff.lastSeen()
      const [stored] = await testBff.storedSessions()
      expect(target).toBe('/trpc/tenants.list?input=1')
      expect(headers.authorization).toBe(`Bearer ${stored?.tokens.access}`)
      expect(headers['x-atrium-source']).toBe('portal')
      expect(headers['x-atrium-app-secret']).toBe(testBff.env.APP_SECRET)
      for (const name of [
        'cookie',
        'proxy-authorization',
        'x-forwarded-host',
        'origin',
        'referer',
        'sec-fetch-site',
      ])
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
      expect(testBff.lastSeen().headers).toMatchObject({
        ...sent,
        'content-type': 'application/json',
      })
      expect(testBff.lastSeen().body).toBe('{"json":{"name":"A"}}')
      expect(response.headers.get('x-request-id')).toBe('request-0001')
    })

    it('makes a request id when the given one is not usable', async () => {
      const { headers } = await testBff.raw('/trpc/a.b', { 'x-request-id': 'a b"<script>' })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(testBff.lastSeen().headers['x-request-id']).toBe(headers['x-request-id'])
    })

    it('names the address of the browser, whatever the request says about it', async () => {
      await browser.fetch(at('/trpc/a.b'), {
        headers: { 'x-forwarded-for': '203.0.113.7, 198.51.100.1', forwarded: 'for=203.0.113.7' },
      })
      expect(testBff.lastSeen().headers['x-forwarded-for']).toMatch(/^(127\.0\.0\.1|::1)$/)
      expect(testBff.lastSeen().headers).not.toHaveProperty('forwarded')
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
      expect(
        (await testBff.raw(path.replace(' ', '%20'), { accept: 'application/json' })).status,
      ).toBe(404)
      expect(testBff.platform.seen).toEqual([])
    })

    it.each(['/trpc/tenants.list,users.me?batch=1', '/trpc/tenants.list%2Cusers.me?batch=1'])(
      'passes on the batch %s',
      async (path) => {
        expect((await testBff.raw(path)).status).toBe(200)
        expect(testBff.lastSeen().target).toBe(path)
      },
    )
  })

  describe('from the API', () => {
    it('passes on status, body and headers, without cookies, hop-by-hop headers and words about tokens', async () => {
      testBff.platform.answer = () =>
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
      for (const name of [
        'set-cookie',
        'www-authenticate',
        'access-control-allow-origin',
        'x-secret',
      ])
        expect(response.headers.has(name)).toBe(false)
    })

    it('passes on an answer without a body', async () => {
      testBff.platform.answer = () => new Response(null, { status: 204 })
      const response = await browser.post(at('/trpc/a.b'))
      expect([response.status, await response.text()]).toEqual([204, ''])
    })

    it('keeps the rule for caches that the API gives', async () => {
      testBff.platform.answer = () =>
        Response.json({}, { headers: { 'cache-control': 'private, max-age=5' } })
      expect((await browser.fetch(at('/trpc/a.b'))).headers.get('cache-control')).toBe(
        'private, max-age=5',
      )
    })

    it('that sends a redirect does not lead the server anywhere', async () => {
      testBff.platform.answer = () =>
        new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })
      expect((await browser.fetch(at('/trpc/a.b'))).status).toBe(302)
      expect(testBff.platform.seen).toHaveLength(1)
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
      expect(testBff.platform.openStreams).toBe(1)
      await testBff.platform.send('data: second\n\n')
      expect((await reader?.read())?.value).toBe('data: second\n\n')
      leaving.abort()
      await expect.poll(() => testBff.platform.openStreams).toBe(0)
    })
  })

  it.each(['GET', 'POST'])(
    'is left by a browser before the API answers a %s, and the API hears of it',
    async (method) => {
      testBff.platform.answer = () => new Promise(() => {})
      const leaving = new AbortController()
      const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
      const response = browser.fetch(at('/trpc/a.b'), {
        method,
        headers,
        signal: leaving.signal,
        ...(method === 'POST' && { body: '{}' }),
      })
      await expect.poll(() => testBff.platform.seen.length).toBe(1)
      leaving.abort()
      await expect(response).rejects.toThrow()
      await testBff.lastSeen().left
      const lines = () => testBff.logLines.filter((line) => line.includes('"left":true'))
      await expect.poll(() => lines().at(-1)).toContain(`"level":"info"`)
    },
  )

  it('carries the calls of a tRPC client, batched and streamed', async () => {
    const t = initTRPC.create({ transformer: superjson })
    const router = t.router({
      slow: t.procedure.query(async () => {
        await new Promise((done) => setTimeout(done, 100))
        return new Date(0)
      }),
      echo: t.procedure
        .input((value: unknown) => String(value))
        .mutation(({ input }) => `said ${input}`),
      fail: t.procedure.query(() => {
        throw new TRPCError({ code: 'CONFLICT', message: 'taken' })
      }),
    })
    testBff.platform.answer = ({ method, target, headers, body }) => {
      const init = { method, headers, ...(method === 'POST' && { body }) }
      return fetchRequestHandler({
        endpoint: '/trpc',
        req: new Request(testBff.platform.url + target, init),
        router,
        createContext: () => ({}),
      })
    }
    const send = (url: unknown, init: unknown) => {
      const { headers, ...rest } = init as RequestInit
      return browser.fetch(String(url), {
        ...rest,
        headers: { ...(headers as Record<string, string>), 'sec-fetch-site': 'same-origin' },
      })
    }
    const link = httpBatchStreamLink({
      url: at('/trpc'),
      transformer: superjson,
      fetch: (url, init) => send(url, init),
    })
    const client = createTRPCClient<typeof router>({ links: [link] })
    const [slow, fail] = await Promise.allSettled([client.slow.query(), client.fail.query()])
    expect(testBff.lastSeen().target).toMatch(/^\/trpc\/slow,fail\?batch=1/)
    expect(slow).toEqual({ status: 'fulfilled', value: new Date(0) })
    expect(fail).toMatchObject({ status: 'rejected', reason: { message: 'taken' } })
    expect(await client.echo.mutate('ä')).toBe('said ä')
  })

  it('cuts the connection when the API breaks off its answer, so that half of it is not taken for all', async () => {
    testBff.platform.answer = () => {
      let sent = false
      return new Response(
        new ReadableStream({
          async pull(controller) {
            if (sent) await new Promise((done) => setTimeout(done, 50))
            if (sent) testBff.platform.dropConnections()
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

  it('returns 503 while the API is unavailable', async () => {
    const other = await startTestBff()
    const person = other.browser()
    await person.signIn(other.publicUrl, 'owner@acme.test')
    await person.fetch(`${other.publicUrl}/trpc/a.b`)
    await other.platform[Symbol.asyncDispose]()
    const response = await person.fetch(`${other.publicUrl}/trpc/a.b`)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'unavailable' }])
    await other[Symbol.asyncDispose]()
  })
})

describe('X-Forwarded-For', () => {
  it.each<[string, string | undefined, string | undefined, number, string]>([
    ['no proxy in front', undefined, '203.0.113.9', 0, '203.0.113.9'],
    ['no proxy in front, header made up', '1.1.1.1', '203.0.113.9', 0, '203.0.113.9'],
    ['one proxy', '198.51.100.1', '10.0.0.1', 1, '198.51.100.1, 10.0.0.1'],
    [
      'one proxy, header begun by the sender',
      '1.1.1.1, 2.2.2.2, 198.51.100.1',
      '10.0.0.1',
      1,
      '198.51.100.1, 10.0.0.1',
    ],
    [
      'two proxies',
      '1.1.1.1, 198.51.100.1, 10.0.0.2',
      '10.0.0.1',
      2,
      '198.51.100.1, 10.0.0.2, 10.0.0.1',
    ],
    ['a proxy that sent none', undefined, '10.0.0.1', 1, '10.0.0.1'],
    ['what is no address', "x' or 1=1, <b>", '10.0.0.1', 2, '10.0.0.1'],
    [
      'IPv4 on a dual-stack socket',
      '::ffff:198.51.100.1',
      '::ffff:10.0.0.1',
      1,
      '198.51.100.1, 10.0.0.1',
    ],
    ['IPv6', '2001:db8::1', '::1', 1, '2001:db8::1, ::1'],
    ['a socket that is gone', undefined, undefined, 0, ''],
  ])('with %s', (_what, given, peer, hops, expected) => {
    expect(forwardedFor(given, peer, hops)).toBe(expected)
  })

  it('keeps what the configured proxies appended', async () => {
    await signedIn({ trustedProxyHops: 1 })
    await browser.fetch(at('/trpc/a.b'), {
      headers: { 'x-forwarded-for': '1.1.1.1, 198.51.100.1' },
    })
    expect(testBff.lastSeen().headers['x-forwarded-for']).toMatch(
      /^198\.51\.100\.1, (127\.0\.0\.1|::1)$/,
    )
    await testBff[Symbol.asyncDispose]()
  })

  it('gets a trace only behind our own proxy, which may have started it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await signedIn({})
    await browser.fetch(at('/trpc/a.b'), { headers: { traceparent } })
    expect(testBff.lastSeen().headers).not.toHaveProperty('traceparent')
    await testBff[Symbol.asyncDispose]()
    await signedIn({ trustedProxyHops: 1 })
    await browser.fetch(at('/trpc/a.b'), { headers: { traceparent, tracestate: 'proxy=1' } })
    expect(testBff.lastSeen().headers).toMatchObject({ traceparent, tracestate: 'proxy=1' })
    await testBff[Symbol.asyncDispose]()
  })

  it('gets the country only when our own proxy names it', async () => {
    const claims = { 'cf-ipcountry': 'DE', 'x-atrium-country': 'FR' }
    await signedIn({})
    await browser.fetch(at('/trpc/a.b'), { headers: claims })
    expect(testBff.lastSeen().headers).not.toHaveProperty('x-atrium-country')
    await testBff[Symbol.asyncDispose]()
    await signedIn({ env: { CLIENT_COUNTRY_HEADER: 'CF-IPCountry' } })
    await browser.fetch(at('/trpc/a.b'), { headers: claims })
    expect(testBff.lastSeen().headers['x-atrium-country']).toBe('DE')
    await testBff[Symbol.asyncDispose]()
  })
})

it('a stream ends soon after the session behind it has', async () => {
  await signedIn({ bff: { streamCheckMs: 20 } })
  const response = await browser.fetch(at('/trpc/events'))
  const reader = response.body?.getReader()
  await reader?.read()
  const elsewhere = testBff.browser()
  const name = testBff.cookieName
  elsewhere.setCookie(testBff.publicUrl, name, browser.cookie(testBff.publicUrl, name)?.value ?? '')
  await elsewhere.post(at('/auth/logout'))
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
  await expect.poll(() => testBff.platform.openStreams).toBe(0)
  await testBff[Symbol.asyncDispose]()
})
