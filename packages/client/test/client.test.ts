import { openApiDocument } from '@atrium/api/http/openapi'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AtriumClient, type ClientOptions, createAtriumClient } from '../src/client.ts'
import { cursorParameters, listItems } from '../src/paging.ts'
import { ApiError, dataOf } from '../src/problem.ts'
import { createAtriumTrpc } from '../src/trpc.ts'

let testApp: TestApp
let token: string
beforeAll(async () => {
  testApp = await startTestApp({ manyChanges: true })
  const tenant = await testApp.database.db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow()
  token = (await insertServiceToken(testApp, { kind: 'tenant', tenantId: tenant.id })).token
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const send = async (request: Request) => testApp.app.fetch(request, {})
const connection = (options: Partial<ClientOptions> = {}) => ({
  url: 'http://api.test/',
  token,
  fetch: send,
  maxDelayMs: 1,
  ...options,
})
const clientOf = (options: Partial<ClientOptions> = {}) => createAtriumClient(connection(options))
const path = { slug: 'acme' }

async function listsNamed(client: AtriumClient, name: string): Promise<string[]> {
  const found: string[] = []
  for await (const { address } of listItems(client, '/tenants/{slug}/lists', { path }))
    if (address.startsWith(`${name}@`)) found.push(address)
  return found
}

describe('the REST client', () => {
  it('reads with a token, or with one that is fetched for each request', async () => {
    const { data } = await clientOf().GET('/tenants/{slug}', { params: { path } })
    expect(data?.slug).toBe('acme')
    const fetched = clientOf({ token: async () => token })
    expect((await dataOf(fetched.GET('/tenants/{slug}', { params: { path } }))).slug).toBe('acme')
  })

  it('throws the problem of a rejection', async () => {
    const client = clientOf()
    const rejection = await dataOf(
      client.GET('/tenants/{slug}/lists/{listId}', {
        params: { path: { ...path, listId: '0190a000-0000-7000-8000-000000000009' } },
      }),
    ).catch((error: unknown) => error)
    expect(rejection).toBeInstanceOf(ApiError)
    expect(rejection).toMatchObject({ status: 404, code: 'not_found' })
    const unsigned = createAtriumClient({ url: 'http://api.test', fetch: send })
    await expect(dataOf(unsigned.GET('/users/me'))).rejects.toMatchObject({
      status: 401,
      problem: { code: 'unauthenticated', requestId: expect.any(String) },
    })
  })

  it('throws what a proxy sends without a problem', async () => {
    const client = clientOf({
      retries: 0,
      fetch: async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    })
    await expect(dataOf(client.GET('/users/me'))).rejects.toMatchObject({
      status: 502,
      code: undefined,
      message: 'The server responded with status 502.',
    })
  })

  it('carries a change out once when its response is lost', async () => {
    let attempts = 0
    const client = clientOf({
      async fetch(request) {
        attempts += 1
        const response = await send(request)
        if (attempts === 1) throw new TypeError('fetch failed')
        return response
      },
    })
    const { data, response } = await client.POST('/tenants/{slug}/lists', {
      params: { path },
      body: { address: 'contact', name: 'Contact', recipients: ['member@acme.test'] },
    })
    expect({ attempts, status: response.status }).toEqual({ attempts: 2, status: 201 })
    expect(data).toMatchObject({ address: expect.stringMatching(/^contact@/) })
    expect(await listsNamed(clientOf(), 'contact')).toHaveLength(1)
  })

  it('leaves an Idempotency-Key of the caller as it is', async () => {
    const keys: (string | null)[] = []
    const client = clientOf({
      async fetch(request) {
        keys.push(request.headers.get('idempotency-key'))
        return Response.json({})
      },
    })
    await client.POST('/tenants', {
      params: { header: { 'Idempotency-Key': 'order-7' } },
      body: { name: 'A', slug: 'a1' },
    })
    await client.POST('/tenants', { body: { name: 'A', slug: 'a1' } })
    await client.GET('/users/me')
    expect(keys).toEqual(['order-7', expect.stringMatching(/^[\w-]{36}$/), null])
  })
})

describe('paging', () => {
  it('returns each item of every page once', async () => {
    const seen = []
    for await (const member of listItems(clientOf(), '/tenants/{slug}/users', {
      path,
      query: { limit: 1 },
    }))
      seen.push(member.email)
    expect(seen.toSorted()).toEqual(['admin@acme.test', 'member@acme.test', 'owner@acme.test'])
  })

  it('follows the audit log, and stops when the caller has enough', async () => {
    for (const name of ['Acme 1', 'Acme 2', 'Acme'])
      await dataOf(clientOf().PATCH('/tenants/{slug}', { params: { path }, body: { name } }))
    let requests = 0
    const client = clientOf({
      fetch(request) {
        requests += 1
        return send(request)
      },
    })
    const ids = new Set<string>()
    for await (const { id } of listItems(client, '/tenants/{slug}/audit', {
      path,
      query: { limit: 2 },
    })) {
      ids.add(id)
      if (ids.size === 3) break
    }
    expect({ ids: ids.size, requests }).toEqual({ ids: 3, requests: 2 })
  })

  it('ends with the newest event', async () => {
    const types = []
    for await (const { type } of listItems(clientOf(), '/events', { query: { limit: 1 } }))
      types.push(type)
    expect(types.filter((type) => type === 'tenant.updated').length).toBeGreaterThanOrEqual(3)
  })

  it('throws when a page cannot be read', async () => {
    const items = listItems(clientOf(), '/tenants/{slug}/users', { path: { slug: 'globex' } })
    await expect(items.next()).rejects.toMatchObject({ status: 403, code: 'not_member' })
  })

  it('knows the parameter of every list', () => {
    const { paths } = openApiDocument('0', '/')
    const others = Object.entries(paths).flatMap(([listed, { get }]) => {
      const response = get?.responses['200']
      const content = response && 'content' in response ? response.content : undefined
      const schema = content?.['application/json']?.schema as { properties?: object } | undefined
      if (!get || !('nextCursor' in (schema?.properties ?? {}))) return []
      const names = get.parameters.map(({ name }) => name)
      const other = ['before', 'after'].find((name) => names.includes(name))
      return other ? [[listed, other]] : []
    })
    expect(Object.fromEntries(others)).toEqual(cursorParameters)
  })
})

describe('the tRPC client', () => {
  it('calls procedures by name and throws their codes', async () => {
    const trpc = createAtriumTrpc(connection())
    const [tenant, { items }] = await Promise.all([
      trpc.tenants.get.query(path),
      trpc.tenants.users.query({ slug: 'acme', limit: 2 }),
    ])
    expect({ slug: tenant.slug, members: items.length }).toEqual({ slug: 'acme', members: 2 })
    await expect(trpc.tenants.users.query({ slug: 'globex' })).rejects.toMatchObject({
      data: { code: 'not_member', httpStatus: 403 },
    })
  })

  it('reads a stream in pieces', async () => {
    const trpc = createAtriumTrpc(connection())
    let text = ''
    for await (const piece of await trpc.events.stream.query({})) text += piece
    const events = text.trim().split('\n')
    expect(events.map((line) => JSON.parse(line).type)).toContain('tenant.updated')
  })

  it('repeats a query after a failure, and no change', async () => {
    let attempts = 0
    const trpc = createAtriumTrpc(
      connection({
        fetch: async (request) => {
          attempts += 1
          if (attempts === 1) throw new TypeError('fetch failed')
          return send(request)
        },
      }),
    )
    expect((await trpc.tenants.get.query(path)).slug).toBe('acme')
    expect(attempts).toBe(2)
    attempts = 0
    await expect(trpc.tenants.update.mutate({ slug: 'acme', name: 'Acme' })).rejects.toThrow(
      'fetch failed',
    )
    expect(attempts).toBe(1)
  })
})
