import { demoServiceCredentials } from '@atrium/core/demo/demo'
import type { Browser } from '@atrium/testing/bff/browser'
import { type SignedInBff, startSignedInBff } from '@atrium/testing/bff/signed-in-bff'
import { startTestBff, type TestBffOptions } from '@atrium/testing/bff/test-bff'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

let testBff: SignedInBff
let browser: Browser

async function signedIn(options: TestBffOptions = {}): Promise<void> {
  testBff = await startSignedInBff(options)
  browser = testBff.signedIn
}
const at = (path: string) => testBff.publicUrl + path
const subscription = {
  id: '0197f7a4-2c1e-7000-8000-000000000001',
  source: 'stripe',
  plan: 'business',
  cycle: 'month',
  currency: 'eur',
  status: 'active',
  seats: 5,
  periodAmountMinor: 4_000,
  trialEnd: null,
  currentPeriodEnd: '2026-04-01T10:00:00.000Z',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  pastDueSince: null,
}

describe('the portal', () => {
  beforeAll(() => signedIn())
  afterEach(() => {
    testBff.platform.seen.length = 0
    testBff.platform.answer = undefined
  })
  afterAll(async () => {
    await testBff[Symbol.asyncDispose]()
  })

  describe('rejects', () => {
    const problem = async (response: Response) => {
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      const body = (await response.json()) as { status: number; code: string; requestId: string }
      expect(body).toMatchObject({
        status: response.status,
        requestId: response.headers.get('x-request-id'),
      })
      return [response.status, body.code]
    }

    it('who is not signed in', async () => {
      for (const path of ['/trpc/a.b', '/api/me', '/api/verify-token']) {
        expect(await problem(await testBff.browser().fetch(at(path)))).toEqual([
          401,
          'unauthenticated',
        ])
      }
      expect(await problem(await testBff.browser().post(at('/api/tenants'), {}))).toEqual([
        401,
        'unauthenticated',
      ])
      expect(testBff.platform.seen).toEqual([])
    })

    it.each<[string, Record<string, string>]>([
      ['neither header', {}],
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['another site under the same domain', { 'sec-fetch-site': 'same-site' }],
      ['no page at all', { 'sec-fetch-site': 'none' }],
      ['the Origin of another site', { origin: 'https://evil.test' }],
      ['the Origin null', { origin: 'null' }],
      [
        'the right Origin but another site by its own word',
        { 'sec-fetch-site': 'cross-site', origin: 'self' },
      ],
      ['an Origin that begins like ours', { origin: 'self.evil.test' }],
      [
        'another Origin than its own word says',
        { 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' },
      ],
    ])('a change with %s', async (_what, headers) => {
      const filled = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          value.replace(/^self/, testBff.publicUrl),
        ]),
      )
      for (const path of [
        '/trpc/tenants.create',
        '/api/tenants',
        '/api/flags/evaluate',
        '/auth/logout',
      ]) {
        const response = await browser.fetch(at(path), {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...filled },
          body: '{}',
        })
        expect(await problem(response)).toEqual([403, 'cross_origin'])
      }
      expect(testBff.platform.seen).toEqual([])
    })

    it('no change with the Origin of this site, from browsers without fetch metadata', async () => {
      const response = await browser.fetch(at('/trpc/a.b'), {
        method: 'POST',
        headers: { origin: testBff.publicUrl, 'content-type': 'application/json' },
        body: '{}',
      })
      expect(response.status).toBe(200)
    })

    it.each([
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/plain',
      'application/json-patch',
      '',
    ])('a body of type "%s"', async (type) => {
      expect(
        await problem(await browser.post(at('/trpc/a.b'), '{}', { 'content-type': type })),
      ).toEqual([415, 'unsupported_media_type'])
      expect(testBff.platform.seen).toEqual([])
    })

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
      expect(testBff.platform.seen).toEqual([])
    })

    it('other methods on tRPC', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await browser.fetch(at('/trpc/a.b'), {
          method,
          headers: { 'sec-fetch-site': 'same-origin' },
        })
        expect(await problem(response)).toEqual([405, 'method_not_allowed'])
      }
    })

    it('addresses that it does not have, and those of the operator', async () => {
      for (const path of [
        '/api/nothing',
        '/api',
        '/api/audit',
        '/api/audit/export',
        '/api/payouts/some-id/statement',
      ]) {
        expect(
          await problem(await browser.fetch(at(path), { headers: { accept: 'text/html' } })),
        ).toEqual([404, 'not_found'])
      }
      expect(await problem(await browser.post(at('/api/users/invite'), {}))).toEqual([
        404,
        'not_found',
      ])
      expect(testBff.platform.seen).toEqual([])
    })
  })

  describe('its own routes', () => {
    it('fetch the files of a partner, and nothing under names that cannot be', async () => {
      await browser.fetch(at('/api/partner/north/ledger?currency=eur'))
      expect(testBff.lastSeen()).toMatchObject({
        method: 'GET',
        target: '/partners/north/ledger/export?currency=eur',
      })
      const id = '01a20027-ac90-753e-ba27-078c7de319f5'
      await browser.fetch(at(`/api/partner/north/payouts/${id}/statement?format=csv`))
      expect(testBff.lastSeen()).toMatchObject({
        method: 'GET',
        target: `/partners/north/payouts/${id}/statement?format=csv`,
      })
      await browser.fetch(at(`/api/tenants/acme/documents/${id}?format=xml`))
      expect(testBff.lastSeen()).toMatchObject({
        method: 'GET',
        target: `/tenants/acme/documents/${id}?format=xml`,
      })
      for (const path of [
        '/api/tenants/acme/documents/%2E%2E%2F',
        '/api/partner/..%2Fusers/ledger',
        '/api/partner/north/payouts/%2E%2E%2F/statement',
      ]) {
        const seen = testBff.platform.seen.length
        expect((await browser.fetch(at(path))).status).toBe(404)
        expect(testBff.platform.seen.length).toBe(seen)
      }
    })

    it('GET /api/me adds groups, subscription and partner mode to the stored user', async () => {
      testBff.platform.answer = ({ target }) =>
        target === '/tenants/acme/billing'
          ? Response.json({ gate: 'open', subscription })
          : undefined
      const me = await (await browser.fetch(at('/api/me'))).json()
      expect(testBff.platform.seen.slice(-2)).toMatchObject([
        { method: 'GET', target: '/users/me' },
        { method: 'GET', target: '/tenants/acme/billing' },
      ])
      expect(me).toMatchObject({
        name: 'Anna Owner',
        tenants: [{ slug: 'acme' }],
        partner: null,
        subscription,
        partnerMode: false,
        groups: ['acme'],
      })
    })

    it('GET /api/me tells no subscription where there is none or the API does not say', async () => {
      for (const answer of [
        () => Response.json({ subscription: null }),
        () => Response.json({ code: 'internal' }, { status: 500 }),
        () => new Response('<html>'),
      ]) {
        testBff.platform.answer = ({ target }) =>
          target.startsWith('/tenants/') ? answer() : undefined
        const response = await browser.fetch(at('/api/me'))
        expect([response.status, await response.json()]).toEqual([
          200,
          expect.objectContaining({ subscription: null }),
        ])
      }
    })

    it('GET /api/me passes a rejection of the API on, and tells of an answer that makes no sense', async () => {
      testBff.platform.answer = () => Response.json({ code: 'user_deactivated' }, { status: 403 })
      const rejected = await browser.fetch(at('/api/me'))
      expect([rejected.status, await rejected.json()]).toEqual([403, { code: 'user_deactivated' }])
      testBff.platform.answer = () => new Response('<html>')
      expect((await browser.fetch(at('/api/me'))).status).toBe(502)
    })

    it('GET /api/verify-token tells what the access token says, every group once', async () => {
      const [stored] = await testBff.storedSessions()
      const claims = JSON.parse(
        Buffer.from(stored?.tokens.access.split('.')[1] ?? '', 'base64url').toString(),
      )
      expect(claims.groups).toEqual(['acme', 'acme'])
      expect(await (await browser.fetch(at('/api/verify-token'))).json()).toEqual({
        iss: testBff.sandbox.issuers.portal,
        aud: ['atrium-portal'],
        sub: claims.sub,
        groups: ['acme'],
      })
    })

    it('POST /api/tenants and reconcile go to the platform', async () => {
      await browser.post(at('/api/tenants'), { name: 'Acme' }, { 'idempotency-key': 'k' })
      expect(testBff.lastSeen()).toMatchObject({
        method: 'POST',
        target: '/tenants',
        body: '{"name":"Acme"}',
        headers: { 'idempotency-key': 'k' },
      })
      await browser.post(at('/api/tenants/acme/reconcile'))
      expect(testBff.lastSeen()).toMatchObject({
        method: 'POST',
        target: '/tenants/acme/reconcile',
        body: '',
      })
      const before = testBff.platform.seen.length
      for (const slug of ['..', '%2e%2e', 'a%2Fb', 'A', 'a%3Fx']) {
        expect(
          (
            await testBff.raw(
              `/api/tenants/${slug}/reconcile`,
              { 'sec-fetch-site': 'same-origin' },
              'POST',
            )
          ).status,
        ).toBe(404)
      }
      expect(testBff.platform.seen).toHaveLength(before)
    })

    it('POST /api/flags/evaluate takes the tenant of the body, else the first group that is a tenant', async () => {
      await browser.post(at('/api/flags/evaluate'), { tenantSlug: 'globex' })
      expect(testBff.lastSeen()).toMatchObject({
        target: '/flags/evaluate',
        body: '{"tenantSlug":"globex"}',
      })
      await browser.post(at('/api/flags/evaluate'))
      expect(testBff.lastSeen()).toMatchObject({
        target: '/flags/evaluate',
        body: '{"tenantSlug":"acme"}',
        headers: { 'content-type': 'application/json' },
      })
      expect((await browser.post(at('/api/flags/evaluate'), '[1]')).status).toBe(400)
      expect((await browser.post(at('/api/flags/evaluate'), '{')).status).toBe(400)
    })

    it('POST /api/flags/evaluate passes over groups that can be no tenant', async () => {
      const identity = async <Answer>(method: string, path: string, body?: object) => {
        const headers = {
          authorization: `Bearer ${demoServiceCredentials.identityToken}`,
          'content-type': 'application/json',
        }
        const response = await fetch(`${testBff.sandbox.identityUrl}/api/v3/core/${path}`, {
          method,
          headers,
          body: JSON.stringify(body),
        })
        expect(response.ok, path).toBe(true)
        return (response.status === 204 ? undefined : await response.json()) as Answer
      }
      const newcomer = testBff.browser()
      await newcomer.signIn(testBff.publicUrl, 'newcomer@example.test')
      await newcomer.post(at('/api/flags/evaluate'))
      expect(testBff.lastSeen().body).toBe('{}')
      const { results } = await identity<{ results: { pk: number }[] }>(
        'GET',
        'users/?search=newcomer',
      )
      for (const name of ['Finance Team', 'initech']) {
        const { pk } = await identity<{ pk: string }>('POST', 'groups/', { name })
        await identity('POST', `groups/${pk}/add_user/`, { pk: results[0]?.pk })
      }
      const again = testBff.browser()
      await again.signIn(testBff.publicUrl, 'newcomer@example.test')
      expect(
        ((await (await again.fetch(at('/api/verify-token'))).json()) as { groups: string[] })
          .groups,
      ).toEqual(['Finance Team', 'initech'])
      await again.post(at('/api/flags/evaluate'))
      expect(testBff.lastSeen().body).toBe('{"tenantSlug":"initech"}')
    })

    it('POST /api/flags/evaluate takes what follows the prefix of tenants, and no group without it', async () => {
      await using prefixed = await startTestBff({ env: { IDP_TENANT_GROUP_PREFIX: 'tenant-' } })
      const api = async <Answer>(path: string, body?: object) => {
        const headers = {
          authorization: `Bearer ${demoServiceCredentials.identityToken}`,
          'content-type': 'application/json',
        }
        const asked = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
        const response = await fetch(`${prefixed.sandbox.identityUrl}/api/v3/core/${path}`, asked)
        return (response.status === 204 ? undefined : await response.json()) as Answer
      }
      const { results } = await api<{ results: { pk: number }[] }>('users/?search=newcomer')
      for (const name of ['grafana-admins', 'tenant-', 'tenant-Initech', 'tenant-initech']) {
        const { pk } = await api<{ pk: string }>('groups/', { name })
        await api(`groups/${pk}/add_user/`, { pk: results[0]?.pk })
      }
      const visitor = prefixed.browser()
      await visitor.signIn(prefixed.publicUrl, 'newcomer@example.test')
      await visitor.post(new URL('/api/flags/evaluate', prefixed.publicUrl).href)
      expect(prefixed.platform.seen.at(-1)?.body).toBe('{"tenantSlug":"initech"}')
    })
  })
})

describe('the operator app', () => {
  beforeAll(() => signedIn({ app: 'operator' }))
  afterAll(async () => {
    await testBff[Symbol.asyncDispose]()
  })

  it.each([
    '?action=tenant.*&q=a%20b',
    "?q='a'&x=%27",
    '?q=%C3%BC&since=2026-01-01T00:00:00%2B02:00',
    '?a=1&a=2&b',
    '?q=|{}^`',
    '?',
    '',
  ])('forwards the audit query %s byte for byte', async (query) => {
    const name = `__Host-atrium-operator-${new URL(testBff.publicUrl).port}`
    const cookie = `${name}=${browser.cookie(testBff.publicUrl, name)?.value}`
    expect((await testBff.raw(`/api/audit${query}`, { cookie })).status).toBe(200)
    expect(testBff.lastSeen()).toMatchObject({
      method: 'GET',
      target: `/audit${query}`,
      headers: { 'x-atrium-source': 'operator' },
    })
  })

  it('hands an export through under the name that the API gives it', async () => {
    testBff.platform.answer = () =>
      new Response('id,action\n', {
        headers: {
          'content-type': 'text/csv',
          'content-disposition': 'attachment; filename="audit.csv"',
        },
      })
    const response = await browser.fetch(at('/api/audit/export?format=csv'))
    expect(testBff.lastSeen().target).toBe('/audit/export?format=csv')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    expect(await response.text()).toBe('id,action\n')
    testBff.platform.answer = undefined
  })

  it('fetches the books of a month', async () => {
    await browser.fetch(at('/api/bookkeeping/2026-10/export?format=datev&currency=eur'))
    expect(testBff.lastSeen()).toMatchObject({
      method: 'GET',
      target: '/billing/bookkeeping/2026-10/export?format=datev&currency=eur',
    })
  })

  it('fetches the statement of a payout and the ledger of a partner', async () => {
    await browser.fetch(at('/api/payouts/01a20027-ac90-753e-ba27-078c7de319f5/statement'))
    expect(testBff.lastSeen()).toMatchObject({
      method: 'GET',
      target: '/billing/payouts/01a20027-ac90-753e-ba27-078c7de319f5/statement',
    })
    await browser.fetch(at('/api/partners/north/ledger'))
    expect(testBff.lastSeen()).toMatchObject({
      method: 'GET',
      target: '/partners/north/ledger/export',
    })
  })

  it('forwards invitations', async () => {
    await browser.post(at('/api/users/invite'), { name: 'A', email: 'a@b.test' })
    expect(testBff.lastSeen()).toMatchObject({
      method: 'POST',
      target: '/users/invite',
      body: '{"name":"A","email":"a@b.test"}',
    })
  })

  it('takes no administrator group for a tenant when flags are evaluated', async () => {
    await browser.post(at('/api/flags/evaluate'))
    expect(testBff.lastSeen().body).toBe('{}')
  })

  it('gets tokens for its own audience', async () => {
    expect(await (await browser.fetch(at('/api/verify-token'))).json()).toMatchObject({
      aud: ['atrium-operator'],
      groups: ['platform-admins'],
    })
  })
})
