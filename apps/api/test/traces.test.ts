import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Record<string, unknown>
  failed: boolean
}

/**
 * Stands for an OpenTelemetry collector: takes OTLP/HTTP with JSON (OTLP specification, section
 * OTLP/HTTP).
 */
interface Collector {
  readonly url: string
  readonly spans: Span[]
  readonly resources: Record<string, unknown>[]
  readonly credentials: (string | undefined)[]
  close(): Promise<void>
}

interface Attribute {
  key: string
  value: {
    stringValue?: string
    intValue?: number | string
    boolValue?: boolean
    doubleValue?: number
  }
}
const attributesOf = (list: readonly Attribute[] = []) =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  )

async function startCollector(): Promise<Collector> {
  const spans: Span[] = []
  const resources: Record<string, unknown>[] = []
  const credentials: (string | undefined)[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes =
      request.headers['content-encoding'] === 'gzip'
        ? gunzipSync(Buffer.concat(chunks))
        : Buffer.concat(chunks)
    credentials.push(request.headers.authorization)
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end()
      return
    }
    for (const { resource, scopeSpans } of JSON.parse(bytes.toString()).resourceSpans) {
      resources.push(attributesOf(resource.attributes))
      for (const scope of scopeSpans)
        for (const span of scope.spans)
          spans.push({
            ...span,
            attributes: attributesOf(span.attributes),
            failed: span.status?.code === 2,
          })
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    credentials,
    close: () => new Promise((done) => server.close(() => done())),
  }
}

/** Stands before a system and notes which trace its requests say they belong to. */
async function startRelay(to: string) {
  const parents: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    parents.push(request.headers.traceparent as string | undefined)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null
    const answer = await fetch(new URL(request.url ?? '/', to), {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      body,
    })
    const type = answer.headers.get('content-type')
    response
      .writeHead(answer.status, type === null ? {} : { 'content-type': type })
      .end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    parents,
    close: () => new Promise<void>((done) => server.close(() => done())),
  }
}

const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${parent.traceId}-${parent.spanId}-01`

let testApp: TestApp
let collector: Collector
let api: ApiProcess
let files: Awaited<ReturnType<typeof startRelay>>
let token: string
beforeAll(async () => {
  collector = await startCollector()
  testApp = await startTestApp({ provisioned: false })
  files = await startRelay(testApp.env.FILES_API_URL ?? '')
  api = await startApi(testApp, {
    FILES_API_URL: files.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-key',
    OTEL_SERVICE_NAME: 'atrium-under-test',
  })
  token = await testApp.token('operator@atrium.test')
})
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await testApp?.[Symbol.asyncDispose]()
  await files?.close()
  await collector?.close()
})

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...init.headers,
  }
  const response = await fetch(`${api.url}${path}`, { ...init, headers })
  await response.arrayBuffer()
  return response
}

/** The first span that is like this, once the collector has it. */
async function spanLike(like: (span: Span) => boolean): Promise<Span> {
  await expect.poll(() => collector.spans.some(like), { timeout: 20_000 }).toBe(true)
  return collector.spans.find(like) as Span
}

describe('a request', () => {
  it("goes on with the caller's trace, names route and procedure, and has its statements below it", async () => {
    const { status } = await call('/tenants/acme', {
      headers: { traceparent, 'x-request-id': 'request-of-mine' },
    })
    expect(status).toBe(200)
    const span = await spanLike(
      ({ attributes }) => attributes['atrium.request_id'] === 'request-of-mine',
    )
    expect(span).toMatchObject({
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      name: 'GET /tenants/{slug}',
      kind: 2,
      attributes: {
        'http.route': '/tenants/{slug}',
        'http.response.status_code': 200,
        'rpc.method': 'tenants.get',
      },
    })
    const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)
    expect(below.some(({ attributes }) => attributes['db.system.name'] === 'postgresql')).toBe(true)
    expect((await call('/tenants?q=find-me')).status).toBe(200)
    const line = () =>
      api.log.map((text) => JSON.parse(text)).find((entry) => entry.requestId === 'request-of-mine')
    await expect
      .poll(line, { timeout: 10_000 })
      .toMatchObject({ traceId: parent.traceId, spanId: span.spanId })
  })

  it('over tRPC names the procedures of its batch, and no word of the address that is none', async () => {
    const input = encodeURIComponent(
      JSON.stringify({
        0: { json: null, meta: { values: ['undefined'] } },
        1: { json: { slug: 'acme' } },
      }),
    )
    await call(`/trpc/users.me,tenants.get?batch=1&input=${input}`, {
      headers: { 'x-request-id': 'batch-of-mine' },
    })
    const span = await spanLike(
      ({ attributes }) => attributes['atrium.request_id'] === 'batch-of-mine',
    )
    expect(span.attributes).toMatchObject({ 'rpc.method': 'users.me,tenants.get' })
    expect(span.parentSpanId ?? '').toBe('')
    await call('/trpc/somebody@example.test', { headers: { 'x-request-id': 'wrong-of-mine' } })
    expect(
      (await spanLike(({ attributes }) => attributes['atrium.request_id'] === 'wrong-of-mine'))
        .name,
    ).not.toContain('somebody')
  })

  it('begins a trace of its own where the header is no trace', async () => {
    await call('/users/me', {
      headers: { traceparent: '00-zzzz-1-01', 'x-request-id': 'broken-of-mine' },
    })
    const span = await spanLike(
      ({ attributes }) => attributes['atrium.request_id'] === 'broken-of-mine',
    )
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(span.parentSpanId ?? '').toBe('')
  })
})

describe('work that a request causes', () => {
  it('shows calls to upstream systems with system and outcome, tells those systems of the trace', async () => {
    const answer = await call('/tenants/acme/reconcile', {
      method: 'POST',
      headers: { traceparent, 'x-request-id': 'reconcile-mine' },
      body: '{}',
    })
    expect(answer.status).toBe(200)
    for (const system of ['identity', 'mail', 'files']) {
      const span = await spanLike(
        ({ traceId, attributes }) =>
          traceId === parent.traceId && attributes['atrium.system'] === system,
      )
      expect(span).toMatchObject({
        kind: 3,
        attributes: { 'atrium.outcome': 'ok', 'atrium.attempt': 1 },
      })
    }
    expect(
      files.parents.filter((told) => told?.startsWith(`00-${parent.traceId}-`)).length,
    ).toBeGreaterThan(0)
  })

  it('shows the runs of jobs', async () => {
    const span = await spanLike(({ name }) => name.startsWith('job '))
    expect(span.attributes['atrium.queue']).toBe(span.name.slice(4))
  })
})

describe('what the collector gets', () => {
  it('comes from the named service, with its credential, and holds no person, token or value', async () => {
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'atrium-under-test' })
    expect(new Set(collector.credentials)).toEqual(new Set(['Bearer collector-key']))
    const text = JSON.stringify(collector.spans)
    expect(collector.spans.length).toBeGreaterThan(20)
    for (const secret of ['@', 'Bearer', token, 'find-me', '$1', '"acme"'])
      expect(text).not.toContain(secret)
  })

  it('is complete after a graceful stop', async () => {
    const before = collector.spans.length
    await call('/users/me', { headers: { 'x-request-id': 'last-of-mine' } })
    api.signal('SIGTERM')
    expect(await api.ended).toBe(0)
    expect(collector.spans.length).toBeGreaterThan(before)
    expect(
      collector.spans.some(({ attributes }) => attributes['atrium.request_id'] === 'last-of-mine'),
    ).toBe(true)
  })
})
