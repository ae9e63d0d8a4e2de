import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuditEvent, auditColumns } from '@atrium/core/audit/audit'
import { parseCsv } from '@atrium/testing/csv'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let operator: string
const evil = [
  '=1+1',
  '+cmd',
  '-2',
  '@sum',
  '\tx',
  'a,b',
  'say "hi"',
  'two\nlines',
  'two\r\nlines',
  "it's",
  'ünï 🎉',
  '=HYPERLINK("http://x","y")',
]

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
  await testApp.database.db
    .insertInto('audit_events')
    .values(
      Array.from({ length: 1_200 }, (_, n) => ({
        at: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(n / 400))),
        actor_type: 'system' as const,
        action: 'tenant.updated',
        outcome: 'success' as const,
        resource_type: 'tenant',
        source: 'job' as const,
        tenant_slug: 'exported',
        resource_id: String(n),
        resource_name: evil[n % evil.length] ?? '',
        metadata: JSON.stringify({ n, text: '=1' }),
      })),
    )
    .execute()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const exported = (query: string) =>
  testApp.request('GET', `/audit/export?tenantSlug=exported&${query}`, { token: operator })

it('streams every entry as NDJSON, newest first, each as the log shows it', async () => {
  const answer = await exported('')
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"')
  const lines = String(answer.body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const events = lines.slice(0, -1).map((line) => AuditEvent.parse(line))
  expect(lines.at(-1)).toEqual({ complete: true, count: events.length })
  const numbered = events.filter((event) => event.action === 'tenant.updated')
  expect(numbered).toHaveLength(1_200)
  expect(new Set(numbered.map(({ resourceId }) => resourceId)).size).toBe(1_200)
  const sorted = [...events].sort((a, b) =>
    a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1,
  )
  expect(events).toEqual(sorted)
  const page = (
    await testApp.request('GET', '/audit?tenantSlug=exported&limit=5&action=tenant.updated', {
      token: operator,
    })
  ).body.items
  expect(numbered.slice(0, 5)).toEqual(page)
})

it('streams every entry as CSV whose cells no spreadsheet runs', async () => {
  const answer = await exported('format=csv&action=tenant.updated')
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [header, ...rows] = parseCsv(String(answer.body))
  expect(header).toEqual(auditColumns)
  expect(rows.pop()).toEqual(['# complete', '1200', ...Array(auditColumns.length - 2).fill('')])
  expect(rows).toHaveLength(1_200)
  const [idColumn, nameColumn, metadataColumn] = ['resourceId', 'resourceName', 'metadata'].map(
    (name) => auditColumns.indexOf(name as keyof AuditEvent),
  )
  for (const row of rows) {
    expect(row).toHaveLength(auditColumns.length)
    for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
    const name = evil[Number(row[idColumn ?? 0]) % evil.length] ?? ''
    expect(row[nameColumn ?? 0]?.replace(/^'(?=[=+\-@\t\r])/, '')).toBe(name)
    expect(JSON.parse(row[metadataColumn ?? 0] ?? '')).toEqual({
      n: Number(row[idColumn ?? 0]),
      text: '=1',
    })
  }
})

it('takes the filters of the log', async () => {
  const answer = await exported('action=tenant.updated&before=2026-01-01T00:00:01Z')
  expect(String(answer.body).trimEnd().split('\n')).toHaveLength(401)
  expect(String((await exported('outcome=denied')).body)).toBe('{"complete":true,"count":0}\n')
  expect(await exported('format=xlsx')).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'format' }] },
  })
  expect(await exported('limit=5')).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'limit' }] },
  })
})

it('is itself recorded, with its filters', async () => {
  await exported('format=csv&q=x')
  const [entry] = (
    await testApp.request('GET', '/audit?action=audit.exported&limit=1', { token: operator })
  ).body.items
  expect(entry).toMatchObject({
    actorType: 'operator',
    tenantSlug: 'exported',
    metadata: { format: 'csv', filter: { q: 'x', tenantSlug: 'exported' } },
  })
})

it('ends when its reader leaves', async () => {
  const leave = new AbortController()
  const request = new Request('http://api.test/audit/export?tenantSlug=exported', {
    headers: { authorization: `Bearer ${operator}` },
    signal: leave.signal,
  })
  const response = await testApp.app.fetch(request, {})
  const reader = response.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  leave.abort()
  await reader?.cancel()
  expect((await testApp.request('GET', '/audit?limit=1', { token: operator })).status).toBe(200)
})

describe('an export that fails', () => {
  /** A search that fails from the page `from` on, in a copy of the app. */
  async function brokenFrom(
    from: number,
    work: (answer: () => Promise<Response>) => Promise<void>,
  ): Promise<void> {
    const { database } = testApp.app.services
    const { search } = database
    let pages = 0
    database.search = ((read: Parameters<typeof search>[0]) => {
      if (++pages >= from)
        throw Object.assign(new Error('terminating connection'), { code: '57P01' })
      return search(read)
    }) as typeof search
    const request = () =>
      new Request(`${address}/audit/export?tenantSlug=exported`, {
        headers: { authorization: `Bearer ${operator}` },
      })
    await work(() => fetch(request())).finally(() => {
      database.search = search
    })
  }
  let server: Server
  let address: string
  beforeAll(async () => {
    server = createServer(testApp.app.listener)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  it('before its first piece is rejected', async () => {
    await brokenFrom(1, async (ask) => {
      const answer = await ask()
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        503,
        'unavailable',
      ])
    })
  })

  it('midway aborts the connection and is logged with the id of its request', async () => {
    await brokenFrom(2, async (ask) => {
      const answer = await ask()
      expect(answer.status).toBe(200)
      await expect(answer.text()).rejects.toThrow()
      const told = testApp.logLines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'export failed')
      expect(told).toMatchObject([
        { level: 'error', requestId: answer.headers.get('x-request-id') },
      ])
    })
  })
})
