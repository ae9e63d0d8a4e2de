import { connect } from 'node:net'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { type AuthentikApi, authentikApi } from './authentik-api.ts'

let sandbox: Sandbox
let api: AuthentikApi
beforeAll(async () => {
  sandbox = await startSandbox()
  api = authentikApi(sandbox)
})
afterAll(() => sandbox.close())

const collections = [
  'core/groups/',
  'core/users/',
  'core/applications/',
  'providers/oauth2/',
  'policies/bindings/',
  'propertymappings/provider/scope/',
]

describe('whatever a client sends', () => {
  it('is never a fault of the server: bodies', async () => {
    const names = [
      'name',
      'slug',
      'username',
      'groups',
      'users',
      'redirect_uris',
      'attributes',
      'target',
      'order',
      'provider',
      'pk',
      'path',
    ]
    const body = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), fc.jsonValue()))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...collections), body, async (path, value) => {
        expect((await api.post(path, value)).status).toBeLessThan(500)
      }),
      { numRuns: 150 },
    )
    const transactional = fc.record({
      app: body,
      provider: body,
      provider_model: fc.string(),
      policy_bindings: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(transactional, async (value) => {
        expect((await api.put('core/transactional/applications/', value)).status).toBe(400)
      }),
      { numRuns: 50 },
    )
  })

  it('is never a fault of the server: query parameters', async () => {
    const names = [
      'page',
      'page_size',
      'ordering',
      'search',
      'name',
      'attributes',
      'uuid',
      'groups_by_pk',
      'is_active',
      'target',
      'user',
    ]
    const query = fc.dictionary(fc.constantFrom(...names), fc.string())
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...collections, 'core/authenticated_sessions/', 'oauth2/refresh_tokens/'),
        query,
        async (path, values) => {
          expect((await api.get(`${path}?${new URLSearchParams(values)}`)).status).toBeLessThan(500)
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each([
    '//',
    '/api/v3/core/users/%E0%A4%A/',
    '/api/v3/core/users/1e9/',
    '/application/o//',
    '/application/o/%00/jwks/',
    '/application/o/__proto__/jwks/',
    '/if/signin/',
    '/if/flow/constructor/?flow_token=x',
    '/if/flow/default-invalidation-flow/',
    '/\\..\\',
    'http://[',
  ])('is never a fault of the server: the path %s', async (path) => {
    const status = await rawStatus(path)
    expect(status).toBeGreaterThanOrEqual(300)
    expect(status).toBeLessThan(500)
  })
})

/** The status for a request line that `fetch` would tidy up or reject. */
function rawStatus(path: string): Promise<number> {
  const { port } = new URL(sandbox.identityUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      const token = `authorization: Bearer ${demoServiceCredentials.identityToken}`
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n${token}\r\nconnection: close\r\n\r\n`,
      )
    })
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(Number(text.slice(9, 12))))
    socket.on('error', reject)
  })
}
