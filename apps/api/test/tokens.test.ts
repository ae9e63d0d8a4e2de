import { demoClients } from '@atrium/core/demo/demo'
import { forgedTokens } from '@atrium/testing/forged-tokens'
import { startIssuer } from '@atrium/testing/issuer'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const start = Date.parse('2026-03-01T12:00:00Z')
let moment = start
const clock = { now: () => new Date(moment) }
const seconds = () => Math.floor(moment / 1000)
const pass = (ms: number) => {
  moment += ms
}

const [issuer, second, foreign] = await Promise.all([
  startIssuer(clock.now),
  startIssuer(clock.now),
  startIssuer(clock.now),
])
let testApp: TestApp

beforeAll(async () => {
  testApp = await startTestApp({
    clock,
    provisioned: false,
    env: { IDP_ISSUER: `${issuer.url},${second.url}` },
  })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await Promise.all([issuer, second, foreign].map((one) => one[Symbol.asyncDispose]()))
})
// An hour on, so that neither the token cache nor the pause between key fetches reaches from one
// test into the next.
beforeEach(() => pass(3_600_000))

const present = (token: string) => testApp.request('GET', '/tenants?limit=1', { token })
const { portal, operator } = demoClients

describe('tokens that pass', () => {
  const good: [string, () => Promise<string>][] = [
    ['as issued', () => issuer.sign()],
    ['of the second issuer', () => second.sign()],
    ['for the other audience', () => issuer.sign({ aud: operator.clientId })],
    [
      'for several audiences of which one is ours',
      () => issuer.sign({ aud: ['something-else', portal.clientId] }),
    ],
    [
      'within the leeway after expiry',
      () => issuer.sign({ iat: seconds() - 600, exp: seconds() - 29 }),
    ],
    ['not yet valid by less than the leeway', () => issuer.sign({ nbf: seconds() + 29 })],
    ['issued a moment ahead of our clock', () => issuer.sign({ iat: seconds() + 30 })],
    ['living exactly a day', () => issuer.sign({ exp: seconds() + 86_400 })],
    ['without an address and a name', () => issuer.sign({ email: undefined, name: undefined })],
    ['with a nonce, as an access token with a scope', () => issuer.sign({ nonce: 'n' })],
    ['with a subject of 255 characters', () => issuer.sign({ sub: 'a'.repeat(255) })],
    [
      'with a name and groups that cannot be stored, which are left out',
      () => issuer.sign({ name: 'a\u0000b', email: 'a\u0000@b.test', groups: ['a\u0000b', 7] }),
    ],
    ['typed as an access token', () => issuer.sign({}, { typ: 'at+jwt' })],
  ]
  it.each(good)('%s', async (_name, make) => {
    expect(await testApp.request('GET', '/users/me', { token: await make() })).toMatchObject({
      status: 200,
    })
  })
})

describe('tokens that are rejected', () => {
  const all = forgedTokens({ issuer, second, foreign, now: () => moment })
  it('are more than sixty', () => expect(all.length).toBeGreaterThan(60))

  it.each(all)('%s', async (_name, code, make) => {
    const response = await present(await make())
    expect(response).toMatchObject({ status: 401, body: { code } })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="atrium"/)
  })

  it('leave no trace of the token or its claims in the log', async () => {
    const token = await issuer.sign({ sub: '', email: 'secret-address@example.test' })
    await present(token)
    const log = testApp.logLines.join('')
    expect(log).not.toContain(token.split('.')[2])
    expect(log).not.toContain('secret-address@example.test')
  })
})
