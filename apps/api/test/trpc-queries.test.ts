import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createContext } from '../src/context.ts'
import { appRouter } from '../src/router.ts'
import { openHouse, type TestHouse } from './house.ts'

let house: TestHouse
let token: string

beforeAll(async () => {
  house = await openHouse({ provisioned: false })
  token = await house.token('owner@acme.test')
})
afterAll(() => house[Symbol.asyncDispose]())

const input = (value: unknown) => `input=${encodeURIComponent(JSON.stringify(value))}`
const slug = (name: unknown) => ({ json: { slug: name } })

/** The same request, answered by tRPC's own adapter. */
async function byAdapter(path: string, authorization: string | undefined): Promise<Response> {
  const request = {
    requestId: 'request-1',
    ip: null,
    ipTrusted: true,
    peerIp: null,
    country: null,
    source: 'api',
    signal: new AbortController().signal,
    line: {},
    header: () => undefined,
    answerHeaders: new Map(),
  } as const
  return fetchRequestHandler({
    endpoint: '/trpc',
    req: new Request(`http://api.test${path}`),
    router: appRouter,
    maxBatchSize: 20,
    createContext: () => createContext(house.app.house, request, authorization),
  })
}

describe('a query by GET', () => {
  const paths: [string, string][] = [
    ['of one record', `/trpc/tenants.get?${input(slug('acme'))}`],
    ['of a list', `/trpc/tenants.list?${input({ json: { limit: 1 } })}`],
    ['without input', '/trpc/users.me'],
    ['that is refused', `/trpc/users.list?${input({ json: {} })}`],
    ['for a tenant that is not there', `/trpc/tenants.get?${input(slug('nowhere'))}`],
    ['for another tenant', `/trpc/tenants.get?${input(slug('globex'))}`],
    ['with an unknown field', `/trpc/tenants.get?${input({ json: { slug: 'acme', colour: 'red' } })}`],
    ['without the field that it needs', `/trpc/tenants.get?${input({ json: {} })}`],
    ['with marked values', `/trpc/tenants.get?${input({ json: { slug: 'acme' }, meta: { values: { slug: ['undefined'] } } })}`],
    ['with input that is no object', `/trpc/tenants.get?${input(7)}`],
    ['with null', `/trpc/tenants.get?${input(null)}`],
    ['with broken JSON', '/trpc/tenants.get?input=%7B'],
    ['in a batch', `/trpc/tenants.get,users.me?batch=1&${input({ 0: slug('acme') })}`],
    ['in a batch where all are refused', `/trpc/tenants.get,users.list?batch=1&${input({ 0: slug(7), 1: { json: { limit: 'x' } } })}`],
    ['in a batch of mixed fates', `/trpc/tenants.get,tenants.get?batch=1&${input({ 0: slug('acme'), 1: slug('globex') })}`],
    ['in a batch without input', '/trpc/users.me,users.me?batch=1'],
    ['in a batch whose input is a list', `/trpc/users.me?batch=1&${input([{ json: {} }])}`],
    ['in a batch whose input is a text', `/trpc/users.me?batch=1&${input('x')}`],
    ['beside a change', `/trpc/tenants.get,tenants.delete?batch=1&${input({ 0: slug('acme'), 1: slug('acme') })}`],
    ['that does not exist', '/trpc/tenants.nothing'],
    ['named like a property of every object', '/trpc/toString'],
    ['that would be a stream', `/trpc/audit.export?${input({ json: { format: 'csv' } })}`],
    ['in a batch that is too large', `/trpc/${Array.from({ length: 21 }, () => 'users.me').join(',')}?batch=1`],
  ]
  it.each(paths)('%s is answered as by the adapter of tRPC', async (_, path) => {
    for (const given of [token, undefined]) {
      const own = await house.request('GET', path, { token: given, headers: { 'x-request-id': 'request-1' } })
      const adapter = await byAdapter(path, given && `Bearer ${given}`)
      const settled = (text: string) => text.replace(/"(lastSeenAt|updatedAt)":"[^"]*"/g, '"$1":"…"')
      expect(own.status).toBe(adapter.status)
      // The adapter sends what it could not even read without a content type, so it arrives as text.
      const body = typeof own.body === 'string' ? own.body : JSON.stringify(own.body)
      expect(settled(body)).toEqual(settled(await adapter.text()))
      expect(own.headers.get('vary')).toBe('trpc-accept, accept')
      expect(own.headers.get('cache-control')).toBe('no-store')
    }
  })
})
