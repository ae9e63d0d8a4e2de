import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMetrics } from '../src/metrics.ts'
import { createDirectReads } from '../src/transport/direct-reads.ts'
import { createPaths } from '../src/transport/read-paths.ts'
import { createRequestRecord } from '../src/transport/request-record.ts'
import { restRoutes } from '../src/transport/rest.ts'
import { openHouse, type TestHouse } from './house.ts'

describe('the path of a read', () => {
  const patterns = [...new Set(restRoutes().map(({ path }) => path))]
  const find = createPaths(patterns.map((pattern) => [pattern, pattern] as const))
  /** The pattern with a value of its own in each place. */
  const written = (pattern: string) => pattern.replace(/\{(\w+)\}/g, (_, name) => `a-${name}`)

  it('is found for each pattern, with its parameters', () => {
    expect(patterns.length).toBeGreaterThan(120)
    for (const pattern of patterns) {
      const names = [...pattern.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
      expect(find(written(pattern))).toEqual({
        target: pattern,
        parameters: Object.fromEntries(names.map((name) => [name, `a-${name}`])),
      })
    }
  })
  it('goes by a name before a parameter, and by the parameter where the name leads nowhere', () => {
    const among = createPaths([
      ['/users/me', 'me'],
      ['/users/{id}', 'one'],
      ['/users/{id}/mails', 'mails'],
      ['/users/me/photo/large', 'photo'],
    ] as const)
    expect(among('/users/me')).toEqual({ target: 'me', parameters: {} })
    expect(among('/users/7')).toEqual({ target: 'one', parameters: { id: '7' } })
    expect(among('/users/me/mails')).toEqual({ target: 'mails', parameters: { id: 'me' } })
    for (const path of ['/users', '/users/7/photo', '/users/me/photo', '/users/7/mails/1', '/', '']) expect(among(path)).toBeUndefined()
  })
})

interface Told {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

let house: TestHouse
let server: Server
let owner: string
let operator: string

beforeAll(async () => {
  house = await openHouse({ provisioned: false })
  ;[owner, operator] = await Promise.all([house.token('owner@acme.test'), house.token('operator@atrium.test', 'operator')])
  server = createServer(house.app.listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  await new Promise((done) => server.close(done))
  await house[Symbol.asyncDispose]()
})

function ask(path: string, headers: Record<string, string | string[]>, agent: Agent | false = false): Promise<Told> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo
    httpRequest({ port, path, headers, agent }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
      .on('error', reject)
      .end()
  })
}

const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`
const asked: [string, string][] = [
  ['a record', '/tenants/acme'],
  ['a record with a query', '/tenants/acme?expand=domains'],
  ['a list', '/tenants/acme/domains'],
  ['a list with a query', '/tenants?limit=1&q=a+c%6De'],
  ['a parameter that is not known', '/tenants?colour=red'],
  ['a parameter that is given twice', '/tenants?limit=1&limit=2'],
  ['a parameter of the path in the query', '/tenants/acme?slug=globex'],
  ['__proto__ in the query', '/tenants?__proto__=1'],
  ['a limit that is no number', '/tenants?limit=many'],
  ['a tenant that is not there', '/tenants/nowhere'],
  ['a name that cannot be one', '/tenants/~.@,:'],
  ["another tenant's audit log", '/tenants/globex/audit'],
  ['an address that is not there', '/nothing/here'],
  ['an address that takes no GET', '/flags/evaluate'],
  ['an address with an empty part', '/tenants//acme'],
  ['a query of tRPC', `/trpc/tenants.get?${input({ json: { slug: 'acme' } })}`],
  ['queries of tRPC in a batch', `/trpc/tenants.get,users.me?batch=1&${input({ 0: { json: { slug: 'acme' } } })}`],
  ['a batch where one is refused', `/trpc/tenants.get,tenants.get?batch=1&${input({ 0: { json: { slug: 'acme' } } })}`],
  ['a query of tRPC with broken input', '/trpc/tenants.get?input=%7B'],
  ['a query of tRPC that is not there', '/trpc/tenants.nothing'],
]

describe('a read on the socket', () => {
  /** What differs from one request to the next. */
  const settled = ({ status, headers, body }: Told) => {
    const { date, connection, 'keep-alive': _, 'content-length': length, ...others } = headers
    return { status, headers: others, body: body.replace(/"(lastSeenAt|updatedAt)":"[^"]*"/g, '"$1":"…"'), hasLength: length !== undefined }
  }

  it.each(asked)('is answered as through Hono: %s', async (_, path) => {
    for (const token of [owner, operator, 'forged', undefined]) {
      const headers = { 'x-request-id': 'request-1', ...(token && { authorization: `Bearer ${token}` }) }
      // The length of a body, though none comes, is what the way through Hono is for.
      const [direct, throughHono] = [await ask(path, headers), await ask(path, { ...headers, 'content-length': '0' })]
      expect(settled(direct)).toEqual(settled(throughHono))
      expect(Number(direct.headers['content-length'])).toBe(Buffer.byteLength(direct.body))
      expect(direct.headers).toMatchObject({
        'x-request-id': 'request-1',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  it('takes repeated headers as one, joined', async () => {
    const twice = await ask('/tenants/acme', { authorization: [`Bearer ${owner}`, `Bearer ${owner}`] })
    expect(twice.status).toBe(401)
  })

  it('leaves one line in the log and is counted under its pattern', async () => {
    const before = house.logLines.length
    await ask('/tenants/acme?expand=domains', { authorization: `Bearer ${owner}`, 'x-request-id': 'a-line-of-its-own' })
    await expect.poll(() => house.logLines.length).toBe(before + 1)
    const line = JSON.parse(house.logLines.at(-1) ?? '')
    expect(line).toMatchObject({
      requestId: 'a-line-of-its-own',
      method: 'GET',
      path: '/tenants/acme',
      route: '/tenants/{slug}',
      status: 200,
    })
    expect(line).toMatchObject({ tenant: 'acme', msg: 'request' })
  })

  it('survives a caller who goes away', async () => {
    const { port } = server.address() as AddressInfo
    for (let i = 0; i < 20; i++) {
      const leaving = httpRequest({ port, path: '/tenants/acme', headers: { authorization: `Bearer ${owner}` }, agent: false })
      leaving.on('error', () => {}).end()
      await new Promise((done) => leaving.once('socket', (socket) => socket.once('connect', done)))
      leaving.destroy()
    }
    expect((await ask('/tenants/acme', { authorization: `Bearer ${owner}` })).status).toBe(200)
  })
})

describe('what is read directly', () => {
  const decide = (path: string, init: RequestInit = {}) => {
    const metrics = createMetrics()
    const reads = createDirectReads(house.app.house, createRequestRecord({ log: house.app.house.log, metrics }))
    return reads.fetch(new Request(`http://api.test${path}`, init), undefined)
  }
  it.each([...asked.filter(([, path]) => !/nothing|evaluate|\/\/acme|%7B$/.test(path))])('%s is', async (_, path) => {
    expect((await decide(path))?.status).toBeGreaterThanOrEqual(200)
  })
  it.each([
    ['a change', '/tenants', { method: 'POST', body: '{}' }],
    ['the head of a read', '/tenants/acme', { method: 'HEAD' }],
    ['a path that takes no GET, beside one that does', '/flags/evaluate', {}],
    ['an export', '/audit/export', {}],
    ['a stream', '/tenants/acme/events', {}],
    ['a report that may be CSV', '/reports/mrr', {}],
    ['what visitors call from other origins', '/api/v1/event-types/x/slots', {}],
    ['an encoded path', '/tenants/%61cme', {}],
    ['a path with dots', '/tenants/../acme', {}],
    ['a streamed batch', '/trpc/users.me?batch=1', { headers: { 'trpc-accept': 'application/jsonl' } }],
    ['a query of tRPC that names its input twice', '/trpc/users.me?input=1&input=2', {}],
    ['a subscription', '/trpc/tenants.events', {}],
    ['a part of the service that is no procedure', '/openapi.json', {}],
  ] as [string, string, RequestInit][])('%s is not', (_, path, init) => {
    expect(decide(path, init)).toBeUndefined()
  })
})

describe('a kept connection', () => {
  const cases: [string, string, Record<string, string>][] = [
    ['a read', '/tenants/acme', {}],
    ['a read through Hono', '/tenants/acme', { 'content-length': '0' }],
    ['a probe', '/health', {}],
  ]
  const askOnKept = async (path: string, more: Record<string, string>) => {
    const agent = new Agent({ keepAlive: true })
    const { status, headers } = await ask(path, { authorization: `Bearer ${owner}`, ...more }, agent)
    agent.destroy()
    return { status, connection: headers.connection }
  }
  it.each(cases)('is kept after %s', async (_, path, more) => {
    expect(await askOnKept(path, more)).toEqual({ status: 200, connection: 'keep-alive' })
  })
  it('is given up after each of them while the process is about to stop', async () => {
    house.app.drain()
    for (const [, path, more] of cases) expect(await askOnKept(path, more)).toEqual({ status: 200, connection: 'close' })
  })
})
