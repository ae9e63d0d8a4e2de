import { createHash } from 'node:crypto'
import { errorCodes } from '@atrium/core/platform/errors'
import { overRest, overTrpc } from '@atrium/testing/calls'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restRoutes } from '../src/http/rest.ts'

let testApp: TestApp
let operator: string
let member: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
  member = await testApp.token('member@acme.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

describe('REST and tRPC', () => {
  it.each<[string, Record<string, unknown>]>([
    ['tenants.list', { limit: 1 }],
    ['tenants.list', { q: 'glo', status: 'pending' }],
    ['tenants.get', { slug: 'acme' }],
    ['tenants.users', { slug: 'acme', role: 'admin' }],
    ['tenants.audit', { slug: 'acme' }],
    ['users.list', { tenantSlug: 'acme', limit: 2 }],
    ['audit.query', { limit: 3 }],
  ])('answer %s %j alike', async (name, input) => {
    const [rest, trpc] = [
      await overRest(testApp, name, input, operator),
      await overTrpc(testApp, name, input, operator),
    ]
    expect(rest.outcome).toBe('ok')
    expect(trpc.body).toEqual(rest.body)
  })

  it.each<[string, Record<string, unknown>, () => string | undefined]>([
    ['tenants.get', { slug: 'nowhere' }, () => operator],
    ['tenants.get', { slug: 'globex' }, () => member],
    ['tenants.suspend', { slug: 'acme', reason: 7 }, () => operator],
    ['tenants.suspend', { slug: 'acme' }, () => member],
    ['tenants.resume', { slug: 'acme' }, () => operator],
    ['tenants.create', { name: '', seats: -1, surprise: 1 }, () => member],
    ['tenants.create', { name: 'x', slug: 'acme' }, () => member],
    ['users.get', { id: 'x' }, () => operator],
    ['users.list', {}, () => undefined],
    ['users.list', {}, () => 'nonsense'],
  ])('refuse %s %j alike', async (name, input, token) => {
    const [rest, trpc] = [
      await overRest(testApp, name, input, token()),
      await overTrpc(testApp, name, input, token()),
    ]
    const { code, issues, status, detail } = rest.body
    expect(status).toBeGreaterThanOrEqual(400)
    expect({
      code: trpc.body.code,
      issues: trpc.body.issues,
      status: trpc.status,
      detail: trpc.body.message,
    }).toEqual({
      code,
      issues,
      status,
      detail,
    })
    expect(trpc.body.requestId).toBe(trpc.headers.get('x-request-id'))
    expect(rest.body.requestId).toBe(rest.headers.get('x-request-id'))
    expect(trpc.headers.get('www-authenticate')).toBe(rest.headers.get('www-authenticate'))
  })

  it.each([
    '/tenants/acme',
    '/trpc/me.get',
    '/tenants/nowhere',
    '/nowhere',
    '/openapi.json',
    '/openapi-scim.json',
    '/health/ready',
  ])('ask browsers to keep and to guess nothing: %s', async (path) => {
    const { headers } = await testApp.request('GET', path, { token: operator })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('tell the typed client the code of a rejection', async () => {
    await expect(testApp.trpc(member).tenants.get.query({ slug: 'globex' })).rejects.toMatchObject({
      data: { code: 'not_found', httpStatus: 404 },
    })
    expect((await testApp.trpc(member).users.me.query()).email).toBe('member@acme.test')
  })
})

describe('an address', () => {
  it.each([
    '/',
    '/nowhere',
    '/tenants/',
    '/tenants/acme/',
    '/tenants/acme/nowhere',
    '/users/me/x',
    '/audit/nowhere',
    '//tenants',
    '/TENANTS',
  ])('that is none answers 404 as a problem: %s', async (path) => {
    const response = await testApp.request('GET', path, { token: operator })
    expect(response).toMatchObject({
      status: 404,
      body: { code: 'not_found', type: '/docs/errors#not_found', requestId: expect.any(String) },
    })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  })

  it.each([
    ['PUT', '/tenants', 'GET, POST'],
    ['DELETE', '/tenants', 'GET, POST'],
    ['POST', '/tenants/acme', 'DELETE, GET, PATCH'],
    ['GET', '/tenants/acme/suspend', 'POST'],
    ['POST', '/users/me', 'GET'],
    ['DELETE', '/audit', 'GET'],
    ['PATCH', '/audit/export', 'GET'],
  ])('that does not take the method says which it takes: %s %s', async (method, path, allowed) => {
    const response = await testApp.request(method, path, {
      token: operator,
      ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
    })
    expect(response).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed', status: 405 },
    })
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed)
  })

  it('of tRPC answers the same codes', async () => {
    const code = async (method: string, path: string, body?: object) => {
      const response = await testApp.request(method, path, {
        token: operator,
        ...(body ? { body } : {}),
      })
      return [response.status, response.body.error.json.data.code]
    }
    expect(await code('GET', '/trpc/nowhere')).toEqual([404, 'not_found'])
    expect(await code('GET', '/trpc/tenants.suspend?input=%7B%7D')).toEqual([
      405,
      'method_not_allowed',
    ])
    expect(await code('POST', '/trpc/tenants.list', {})).toEqual([405, 'method_not_allowed'])
    expect(await code('GET', '/trpc/tenants.list?input=%7Bx')).toEqual([400, 'invalid_input'])
  })
})

describe('a tRPC batch', () => {
  const batch = (count: number) => {
    const inputs = Object.fromEntries(
      Array.from({ length: count }, (_, n) => [n, { json: { limit: 1 } }]),
    )
    return testApp.request(
      'GET',
      `/trpc/${Array(count).fill('tenants.list').join(',')}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`,
      { token: operator },
    )
  }
  it('of twenty is answered, of more rejected', async () => {
    expect((await batch(20)).body).toHaveLength(20)
    expect((await batch(21)).status).toBe(400)
    expect((await batch(500)).status).toBe(400)
  })

  it('tells each of its calls by itself', async () => {
    const input = encodeURIComponent(
      JSON.stringify({ 0: { json: { slug: 'acme' } }, 1: { json: { slug: 'globex' } } }),
    )
    const response = await testApp.request(
      'GET',
      `/trpc/tenants.get,tenants.get?batch=1&input=${input}`,
      { token: member },
    )
    expect(response.status).toBe(207)
    expect(response.body).toMatchObject([
      { result: { data: { json: { slug: 'acme' } } } },
      { error: { json: { data: { code: 'not_found' } } } },
    ])
  })
})

describe('the request id', () => {
  it('of the caller is used everywhere: answer, problem, log', async () => {
    const headers = { 'x-request-id': 'caller-chose-this-1' }
    const response = await testApp.request('GET', '/tenants/nowhere', { token: operator, headers })
    expect(response.headers.get('x-request-id')).toBe('caller-chose-this-1')
    expect(response.body.requestId).toBe('caller-chose-this-1')
    expect(
      testApp.logLines
        .map((line) => JSON.parse(line))
        .find((line) => line.requestId === 'caller-chose-this-1'),
    ).toMatchObject({
      method: 'GET',
      path: '/tenants/nowhere',
      route: '/tenants/{slug}',
      status: 404,
      tenant: 'nowhere',
      operator: true,
    })
  })

  it('is made when there is none, and is new each time', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await testApp.request('GET', '/health')).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('the log', () => {
  it('holds no token, no address and no name of the people who call', async () => {
    await testApp.request('GET', '/users/me', { token: member })
    await testApp.request('PATCH', '/tenants/acme', { token: member, body: { name: 'Never' } })
    const log = testApp.logLines.join('')
    for (const secret of [
      member,
      operator,
      member.split('.')[2] ?? '-',
      'member@acme.test',
      'Mira Member',
    ])
      expect(log).not.toContain(secret)
  })
})

describe('the description of the API', () => {
  interface Operation {
    operationId?: string
    security?: object[]
    parameters?: { name: string; in: string; required?: boolean }[]
    requestBody?: { content: Record<string, unknown> }
    responses: Record<string, { description?: string; content?: Record<string, unknown> }>
  }
  const read = async () =>
    (await testApp.request('GET', '/openapi.json')).body as {
      openapi: string
      info: { title: string; version: string }
      paths: Record<string, Record<string, Operation>>
      components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> }
    }

  it('lists every REST path with its method, and no other', async () => {
    const { paths } = await read()
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.sort()).toEqual(
      restRoutes()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    )
  })

  it('is OpenAPI 3.1: names, parameters, references and answers are whole', async () => {
    const document = await read()
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({
      title: 'Atrium platform API',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { path, method, operation } of operations) {
      const label = `${method} ${path}`
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
      const declared = (operation.parameters ?? []).filter((one) => one.in === 'path')
      expect(declared.map(({ name }) => name).sort(), label).toEqual(inPath)
      expect(
        declared.every(({ required }) => required === true),
        label,
      ).toBe(true)
      // What visitors call needs no token; their manage links are one.
      const open = /^\/api\/v1\/(pages|event-types|slot-locks|bookings|manage-links)\b/.test(path)
      const mailed =
        /^\/(api\/v1\/manage\/|invitations\/(link|open|accept|decline)$|address-claims\/move$|unsubscribe$)/.test(
          path,
        )
      const ofPeople = (operation.security ?? []).filter((one: object) => !('serviceToken' in one))
      expect(ofPeople, label).toEqual(open ? [] : mailed ? [{ mailedLink: [] }] : [{ bearer: [] }])
      const told = Object.keys(operation.responses).filter((status) => Number(status) < 400)
      const route = restRoutes().find(
        (one) => one.path === path && one.method.toLowerCase() === method,
      )
      const empty =
        method === 'delete' ||
        [
          'addressClaims.change',
          'addressClaims.confirm',
          'invitations.decline',
          'invitations.declineMine',
          'members.leave',
          'scheduling.hosts.connect',
          'scheduling.manage.sendLink',
        ].includes(route?.name ?? '')
      const status = empty ? '204' : route?.creates ? '201' : '200'
      // OpenFeature clients ask with If-None-Match.
      expect(told, label).toEqual(route?.ofrep ? [status, '304'] : [status])
      const rejected = Object.keys(operation.responses).filter((one) => Number(one) >= 400)
      expect(rejected, label).toEqual(
        expect.arrayContaining(['500', '503', ...(open || mailed ? [] : ['401', '403'])]),
      )
      expect(rejected.includes('415'), label).toBe(!['get', 'delete'].includes(method))
      const types = Object.keys(operation.responses[status]?.content ?? {})
      if (route?.csv) expect(types, label).toEqual(['application/json', 'text/csv'])
      if (route?.file) expect(types, label).toEqual(route.file)
      if (method === 'get' || method === 'delete')
        expect(operation.requestBody, label).toBeUndefined()
    }
    const text = JSON.stringify(document)
    for (const [, reference = ''] of text.matchAll(/"\$ref":"([^"]+)"/g)) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document)
      expect(target, reference).toBeDefined()
    }
  })

  it('says of each update that it names a field to change', async () => {
    const { body } = await testApp.request('GET', '/openapi.json')
    const bodyOf = (path: string, method: string) =>
      body.paths[path][method].requestBody.content['application/json'].schema
    for (const [path, method, fields] of [
      ['/users/{id}', 'patch', ['name', 'platformAdmin']],
      ['/tenants/{slug}', 'patch', ['name', 'domains']],
      ['/tenants/{slug}/users/{userId}', 'patch', ['role', 'phone']],
      ['/tenants/{slug}/lists/{listId}', 'patch', ['recipients', 'add']],
      ['/tenants/{slug}/subscription/preview', 'post', ['plan', 'seats']],
      ['/partners/{slug}', 'patch', ['name', 'marginPct']],
      ['/flags/{key}', 'patch', ['state']],
      ['/api/v1/tenants/{slug}/hosts/{hostId}', 'patch', ['name', 'enabled']],
    ] as const) {
      const named = bodyOf(path, method).anyOf.flatMap(
        ({ required }: { required: string[] }) => required,
      )
      expect(named, path).toEqual(expect.arrayContaining([...fields]))
      expect(named, path).not.toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(?:version|expectedVersion|reason|note)$/),
        ]),
      )
    }
    expect(bodyOf('/tenants/{slug}/billing/payment-method', 'put').oneOf).toHaveLength(2)
  })

  it('has pages for people: the reference and every error code', async () => {
    const page = await testApp.request('GET', '/docs')
    expect(page.status).toBe(200)
    const links = new Set(
      [...String(page.body).matchAll(/(?:src|href)="([^"#]+)[^"]*"/g)].map(([, path = '']) => path),
    )
    expect(links.size).toBeGreaterThan(25)
    let pages = ''
    for (const path of links) {
      const linked = await testApp.request('GET', path)
      expect(linked.status, path).toBe(200)
      pages += linked.body
    }
    for (const { operationId } of Object.values((await read()).paths).flatMap((item) =>
      Object.values(item),
    )) {
      expect(pages).toContain(`id="${operationId}"`)
    }
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; form-action 'self'/,
    )
    const script = pages.match(/<script type="module">[\s\S]*?<\/script>/)?.[0] ?? ''
    const hash = createHash('sha256').update(script.replace(/<\/?script[^>]*>/g, ''))
    expect(page.headers.get('content-security-policy')).toContain(hash.digest('base64'))
    expect(pages.replaceAll(script, '')).not.toMatch(/<script|style="| on\w+="/)
    const found = String((await testApp.request('GET', '/docs?q=suspend+tenant')).body)
    expect(found).toContain('/tenants/{slug}/suspend')
    expect(found).not.toContain('/tenants/{slug}/audit')
    const searched = String(
      (await testApp.request('GET', `/docs?q=${encodeURIComponent('"><script>alert(1)</script>')}`))
        .body,
    )
    expect(searched.replace(script, '')).not.toContain('<script')
    for (const [words, path] of [
      ['members:write', '/tenants/{slug}/users'],
      ['already_suspended', '/tenants/{slug}/suspend'],
      ['tenants-suspend', '/tenants/{slug}/suspend'],
    ]) {
      const { body } = await testApp.request('GET', `/docs?q=${words}`)
      expect(body, words).toContain(path)
      expect(body, words).not.toContain('/audit/export')
    }
    expect((await testApp.request('GET', '/docs/nowhere')).status).toBe(404)
    const types = String((await testApp.request('GET', '/docs/webhook-events')).body)
    expect(types).toContain('href="/docs/webhook-events/member.created"')
    const type = String((await testApp.request('GET', '/docs/webhook-events/member.created')).body)
    expect(type).toContain('GET /tenants/{slug}/users/{userId}')
    for (const name of ['member.forgotten', 'constructor'])
      expect((await testApp.request('GET', `/docs/webhook-events/${name}`)).status).toBe(404)
    const events = String((await testApp.request('GET', '/docs?q=second+factors+reset')).body)
    expect(events).toContain('href="/docs/webhook-events/member.second_factors_reset"')
    const scim = String((await testApp.request('GET', '/docs/scim')).body)
    expect(scim).toContain('id="scim-patchUser"')
    expect(scim).not.toContain('@atrium/client')
    const errors = String((await testApp.request('GET', '/docs/errors')).body)
    for (const code of errorCodes) expect(errors).toContain(`id="${code}"`)
  })
})
