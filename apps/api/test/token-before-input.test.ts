import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restRoutes } from '../src/http/rest.ts'

let testApp: TestApp
let token: string
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  token = await testApp.token('owner@acme.test')
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** What superjson turns into an array of as many zeros as `length` says. */
const longArray = { json: { length: 3 }, meta: { values: [['typed-array', 'Uint8Array']] } }

function overTrpc(names: string[], type: string, input: unknown, as?: string) {
  const batch = names.length > 1 ? 'batch=1&' : ''
  const path = `/trpc/${names.join()}`
  if (type === 'mutation')
    return testApp.request('POST', `${path}?${batch}`, { token: as, body: input })
  return testApp.request(
    'GET',
    `${path}?${batch}input=${encodeURIComponent(JSON.stringify(input))}`,
    { token: as },
  )
}

const routes = restRoutes()
/** Subscriptions are no calls of a batch; those over REST are asked below like every other. */
const none = { status: 401 }
const closed = routes.filter(({ needsToken }) => needsToken)

describe('without a token', () => {
  it('only the booking pages and mailed links can be called', () => {
    const open = routes
      .filter(({ needsToken }) => !needsToken)
      .map(({ name }) => name.split('.').slice(0, 2).join('.'))
    const parts = ['pages', 'slots', 'locks', 'book', 'manage']
    expect(new Set(open)).toEqual(
      new Set([
        ...['accept', 'decline', 'open', 'show'].map((way) => `invitations.${way}`),
        'account.unsubscribe',
        'addressClaims.move',
        ...parts.map((part) => `scheduling.${part}`),
      ]),
    )
  })

  /** The closed procedures for which `ask` learns anything but that a token is missing. */
  async function telling(
    ask: (route: (typeof closed)[number]) => Promise<{ status: number }>,
  ): Promise<string[]> {
    const names: string[] = []
    for (const route of closed) if ((await ask(route)).status !== 401) names.push(route.name)
    return names
  }

  it('no other procedure looks at the input of tRPC, alone or in a batch', async () => {
    expect(
      await telling(async ({ name, type }) =>
        type === 'subscription' ? none : overTrpc([name], type, longArray),
      ),
    ).toEqual([])
    const twice = { 0: longArray, 1: longArray }
    expect(
      await telling(async ({ name, type }) =>
        type === 'subscription' ? none : overTrpc([name, name], type, twice),
      ),
    ).toEqual([])
  })

  it('no other procedure looks at a query or a body', async () => {
    const ask = ({ method, path }: (typeof closed)[number]) =>
      testApp.request(method, `${path.replace(/\{\w+\}/g, 'x')}?twice=1&twice=2`, {
        body: method === 'GET' || method === 'DELETE' ? undefined : '{"name":',
      })
    expect(await telling(ask)).toEqual([])
  })
})

describe('with a token', () => {
  const marks: [string, unknown][] = [
    ['a typed array', longArray],
    [
      'a path to the prototype',
      { json: { slug: 'acme' }, meta: { values: { '__proto__.x': ['undefined'] } } },
    ],
    [
      'the same object twice',
      { json: { slug: 'acme' }, meta: { referentialEqualities: { slug: ['slug'] } } },
    ],
    ['nothing that superjson knows', { json: { slug: 'acme' }, meta: 7 }],
  ]
  it.each(marks)(
    'marks of %s are rejected on every way in, and no fault of ours is logged',
    async (_, input) => {
      const before = testApp.logLines.filter((line) => line.includes('request failed')).length
      const rejected = {
        status: 400,
        body: { error: { json: { data: { code: 'invalid_input' } } } },
      }
      expect(await overTrpc(['tenants.get'], 'query', input, token)).toMatchObject(rejected)
      expect(await overTrpc(['tenants.update'], 'mutation', input, token)).toMatchObject(rejected)
      for (const type of ['query', 'mutation']) {
        const name = type === 'query' ? 'tenants.get' : 'tenants.update'
        const response = await overTrpc([name, name], type, { 0: input, 1: input }, token)
        expect(response).toMatchObject({ status: 400, body: [rejected.body, rejected.body] })
      }
      expect(
        testApp.logLines.filter((line) => line.includes('request failed')).slice(before),
      ).toEqual([])
    },
  )
})
