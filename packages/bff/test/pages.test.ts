import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { openDatabase } from '@atrium/db/platform/connect'
import { rawRequest } from '@atrium/testing/bff/browser'
import { user } from '@atrium/testing/bff/platform'
import { packedScript, script, startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStaticFiles } from '../src/static-files.ts'

let testBff: TestBff
beforeAll(async () => {
  testBff = await startTestBff()
})
afterAll(async () => {
  await testBff[Symbol.asyncDispose]()
})
const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(testBff.publicUrl + path, { headers, redirect: 'manual' })

const getRaw = (path: string, headers: Record<string, string>) =>
  rawRequest(testBff.publicUrl, path, { headers })

const directives = (response: Response) =>
  new Map(
    (response.headers.get('content-security-policy') ?? '')
      .split('; ')
      .map((directive): [string, string] => {
        const [name = '', ...sources] = directive.split(' ')
        return [name, sources.join(' ')]
      }),
  )

describe('every answer', () => {
  it.each([
    ['a page', '/', 200, page],
    ['a file', '/assets/app-1a2b3c4d.js', 200, {}],
    ['a route of this server', '/api/session', 200, {}],
    ['a refusal', '/api/me', 401, {}],
    ['something missing', '/api/nothing', 404, {}],
    ['a redirect', '/auth/login', 302, {}],
    ['a refused callback', '/auth/callback', 303, {}],
    ['health', '/health', 200, {}],
  ])('(%s) has the security headers', async (_what, path, status, headers) => {
    const response = await get(path, headers)
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(response.headers.has('strict-transport-security')).toBe(false)
    expect(response.headers.has('access-control-allow-origin')).toBe(false)
    expect(response.headers.has('x-powered-by')).toBe(false)
    const policy = directives(response)
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('style-src')).toMatch(/^'self' 'nonce-[A-Za-z0-9+/]{22}=='$/)
    expect(policy.get('connect-src')).toBe("'self'")
    expect(policy.get('frame-ancestors')).toBe("'none'")
    expect(policy.get('base-uri')).toBe("'none'")
    expect(policy.get('form-action')).toBe(`'self' ${new URL(testBff.sandbox.identityUrl).origin}`)
    expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*|https?:(?!\/\/localhost)/)
  })
})

describe('the page on which a card is entered', () => {
  it("may load the payment processor's form where there is one, and nothing else may", async () => {
    await using own = await startTestBff({ env: { STRIPE_PUBLISHABLE_KEY: 'pk_test_real' } })
    const policyAt = async (path: string) =>
      directives(await fetch(own.publicUrl + path, { headers: page }))
    const card = await policyAt('/t/acme/billing/card')
    expect(card.get('script-src')).toBe("'self' https://js.stripe.com https://*.js.stripe.com")
    expect(card.get('connect-src')).toBe("'self' https://api.stripe.com")
    expect(card.get('frame-src')).toBe(
      'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
    )
    expect(card.get('default-src')).toBe("'none'")
    for (const path of [
      '/',
      '/t/acme/billing',
      '/t/acme/billing/cards',
      '/billing/card',
      '/t/a/b/billing/card',
    ]) {
      const policy = await policyAt(path)
      expect(policy.get('script-src'), path).toBe("'self'")
      expect(policy.has('frame-src'), path).toBe(false)
    }
    const without = directives(await get('/t/acme/billing/card', page))
    expect(without.get('script-src')).toBe("'self'")
  })
})

describe('a page', () => {
  it.each(['/', '/t/acme', '/t/acme/members?q=a', '/signed-out?error=x', '/index.html', '/a.b/c'])(
    'at %s is the app, not kept, with its own nonce',
    async (path) => {
      const [one, two] = [await get(path, page), await get(path, page)]
      expect(one.status).toBe(200)
      expect(one.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(one.headers.get('cache-control')).toBe('no-store')
      const nonce = /<meta name="csp-nonce" content="([^"]+)">/.exec(await one.text())?.[1]
      expect(directives(one).get('style-src')).toBe(`'self' 'nonce-${nonce}'`)
      expect(await two.text()).not.toContain(nonce)
    },
  )

  it.each([
    ['/assets/gone-1a2b3c4d.js', page],
    ['/api/nothing', page],
    ['/trpc', page],
    ['/auth/nothing', page],
    ['/missing.png', { accept: 'image/*' }],
    ['/t/acme', { accept: 'application/json' }],
    ['/t/acme', { accept: '*/*' }],
  ])('is not served at %s to %o', async (path, headers) => {
    const response = await get(path, headers)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      code: 'not_found',
      requestId: response.headers.get('x-request-id'),
    })
  })

  it('may be asked for by HEAD', async () => {
    const response = await fetch(`${testBff.publicUrl}/`, { method: 'HEAD', headers: page })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('a file', () => {
  it('whose name changes with its content is kept for a year', async () => {
    const response = await get('/assets/app-1a2b3c4d.js')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await response.text()).toBe(script)
  })

  it('with a lasting name is asked for again, and 304 while it is the same', async () => {
    const response = await get('/favicon.svg')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const again = await get('/favicon.svg', { 'if-none-match': response.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  })

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate, br;q=0', 'gzip', gunzipSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
    ['br;q=0', undefined, (body: Buffer) => body],
    ['', undefined, (body: Buffer) => body],
  ])('comes packed as the browser asks (%s)', async (accepted, encoding, unpack) => {
    for (let round = 0; round < 2; round++) {
      const { headers, body } = await getRaw('/assets/app-1a2b3c4d.js', {
        'accept-encoding': accepted,
      })
      expect(headers['content-encoding']).toBe(encoding)
      expect(headers['content-length']).toBe(String(body.byteLength))
      expect(headers.vary).toBe('accept-encoding')
      expect(unpack(body).toString()).toBe(script)
    }
  })

  it('that the build packed is sent as it was packed, and not at an address of its own', async () => {
    const { headers, body } = await getRaw('/assets/page-5e6f7a8b.js', {
      'accept-encoding': 'br, gzip',
    })
    expect(headers['content-encoding']).toBe('br')
    expect(body).toEqual(packedScript)
    expect(
      await (await get('/assets/page-5e6f7a8b.js', { 'accept-encoding': 'identity' })).text(),
    ).toBe(script)
    expect((await get('/assets/page-5e6f7a8b.js.br')).status).toBe(404)
  })

  it.each([
    '/../package.json',
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/assets//app-1a2b3c4d.js',
    '/%00',
  ])('outside of the build is out of reach (%s)', async (path) => {
    expect((await getRaw(path, { accept: '*/*' })).status).toBe(404)
  })

  it('is not missed silently: without a build there is a clear error', () => {
    expect(() => readStaticFiles('/nowhere/dist')).toThrow(
      'There is no build of the app in /nowhere/dist. Run "vite build" first.',
    )
    expect(() => readStaticFiles(`${testBff.distDir}/assets`)).toThrow(/index\.html is missing/)
  })
})

describe('the administrators’ and the partners’ pages', () => {
  const responses = (changes: object | undefined) => {
    testBff.platform.answer = changes && (() => Response.json({ ...user, ...changes }))
  }
  const partner = { id: user.id, slug: 'north', name: 'North', status: 'active', access: 'viewer' }

  it('send who is not signed in to the sign-in and back', async () => {
    const response = await get('/admin/users?q=1', page)
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/auth/login?returnTo=%2Fadmin%2Fusers%3Fq%3D1',
    ])
  })

  it('open by the stored user only, and stay shut when that cannot be read', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, 'owner@acme.test')
    const statusOf = async (path: string) =>
      (await browser.fetch(testBff.publicUrl + path, { headers: page })).status
    for (const path of ['/admin', '/admin/', '/admin/x']) {
      responses({})
      expect(await statusOf(path)).toBe(403)
      responses({ platformAdmin: true })
      expect(await statusOf(path)).toBe(200)
      responses({ platformAdmin: 'yes' })
      expect(await statusOf(path)).toBe(503)
      testBff.platform.answer = () => Response.json({}, { status: 500 })
      expect(await statusOf(path)).toBe(503)
      testBff.platform.answer = () => Response.json({ code: 'user_deactivated' }, { status: 403 })
      expect(await statusOf(path)).toBe(403)
      testBff.platform.answer = () => Response.json({ code: 'unauthenticated' }, { status: 401 })
      expect(await statusOf(path)).toBe(303)
    }
    for (const path of ['/partner', '/partner/customers']) {
      responses({ platformAdmin: true })
      expect(await statusOf(path)).toBe(403)
      responses({ partner })
      expect(await statusOf(path)).toBe(200)
      responses({ partner: { ...partner, status: 'suspended' } })
      expect(await statusOf(path)).toBe(200)
      responses({ partner: { ...partner, status: 'terminated' } })
      expect(await statusOf(path)).toBe(403)
    }
    responses({ status: 'deactivated', platformAdmin: true })
    expect(await statusOf('/admin')).toBe(403)
    testBff.platform.answer = undefined
    const rejected = await browser.fetch(`${testBff.publicUrl}/admin`, { headers: page })
    const nonce = /<style nonce="([^"]+)">/.exec(await rejected.text())?.[1]
    expect(directives(rejected).get('style-src')).toContain(`'nonce-${nonce}'`)
  })
})

describe('health', () => {
  it('names service, version, commit and uptime', async () => {
    expect(await (await get('/health')).json()).toEqual({
      service: 'atrium-portal',
      status: 'ok',
      version: '0',
      commit: null,
      uptimeSeconds: expect.any(Number),
    })
  })
})

describe('readiness', () => {
  it('holds while the database responds', async () => {
    const response = await get('/health/ready')
    expect([response.status, await response.json()]).toEqual([200, { ready: true }])
  })

  it('ends when the process begins to stop, while requests are still answered', async () => {
    const draining = new AbortController()
    await using stopping = await startTestBff({ bff: { draining: draining.signal } })
    const ask = async (path: string) => (await fetch(stopping.publicUrl + path)).status
    expect(await ask('/health/ready')).toBe(200)
    draining.abort()
    expect([await ask('/health/ready'), await ask('/health')]).toEqual([503, 200])
  })

  it('is missing while the database does not respond', async () => {
    // Nothing listens on this port.
    const database = openDatabase({
      url: 'postgres://atrium@127.0.0.1:1/atrium',
      onError: () => {},
    })
    await using without = await startTestBff({ bff: { database } })
    const response = await fetch(`${without.publicUrl}/health/ready`)
    expect([response.status, await response.json()]).toEqual([503, { ready: false }])
  })
})

describe('on https', () => {
  it('cookies are __Host- cookies, and browsers must stay on https', async () => {
    await using secure = await startTestBff({
      app: 'operator',
      publicUrl: 'https://operator.example.test',
    })
    const browser = secure.browser()
    const login = await browser.fetch(`${secure.publicUrl}/auth/login`)
    const [signIn = ''] = login.headers.getSetCookie()
    expect(signIn).toMatch(
      /^__Host-atrium-operator-signin-[0-9a-f]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    await browser.signIn(secure.publicUrl, 'operator@atrium.test')
    const cookie = browser.cookie(secure.publicUrl, '__Host-atrium-operator')
    expect([...(cookie?.attributes ?? [])].sort()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ])
    const response = await browser.fetch(`${secure.publicUrl}/`, { headers: page })
    expect(response.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
    expect(response.headers.get('content-security-policy')).toContain('upgrade-insecure-requests')
    const out = await browser.post(`${secure.publicUrl}/auth/logout`)
    expect(out.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-atrium-operator=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })
})

describe('pages that this server renders', () => {
  it('have all of their texts from the catalogue, whatever the address', async () => {
    const paths = testBff.routes
      .filter(({ method, path }) => method === 'GET' && !path.includes('*'))
      .map(({ path }) => path.replace(/:\w+/g, 'none'))
    const outside: Record<string, string[]> = {}
    let count = 0
    for (const path of [...new Set(paths), '/auth/confirmed', '/admin', '/partner']) {
      const response = await get(path, { ...page, cookie: 'atrium_language=en-XA' })
      if (!response.headers.get('content-type')?.includes('html')) continue
      const body = await response.text()
      count += 1
      const texts = body
        .replace(/<style[\s\S]*?<\/style>|<[^>]*>/g, '\n')
        .replace(/⟦[^⟦⟧]*⟧/g, '')
        .split('\n')
      const left = texts.filter((text) => /\p{L}/u.test(text.replace('Atrium', '')))
      if (left.length > 0) outside[path] = left
    }
    expect(outside).toEqual({})
    expect(count).toBeGreaterThan(3)
  })
})

describe('the language of the app', () => {
  it.each([
    [{}, 'en', 'en'],
    [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de', 'de'],
    [{ 'accept-language': 'fr' }, 'en', 'en'],
    [{ cookie: 'atrium_language=en', 'accept-language': 'de' }, 'en', 'en'],
    [{ cookie: 'atrium_language=de' }, 'de', 'de'],
    [{ cookie: 'atrium_language=en-XA' }, 'en-XA', 'en'],
    [{ cookie: 'atrium_language=%22><script>' }, 'en', 'en'],
  ])('with %j is %s, and its page names the texts to load', async (headers, language, texts) => {
    const body = await (await get('/', { ...page, ...headers })).text()
    expect(body).toContain(`<html lang="${language}">`)
    expect(body.match(/<link rel="modulepreload"[^>]*>/g)).toEqual([
      `<link rel="modulepreload" crossorigin href="/assets/messages-${texts}-9c0d1e2f.js">`,
    ])
  })
})
