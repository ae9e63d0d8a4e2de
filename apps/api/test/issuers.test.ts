import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const { portal, operator } = demoClients
let testApp: TestApp
let ofPortal: Issuer
let ofOperators: Issuer
let foreign: Issuer

beforeAll(async () => {
  ;[ofPortal, ofOperators, foreign] = await Promise.all([
    startIssuer(),
    startIssuer(),
    startIssuer(),
  ])
  testApp = await startTestApp({
    env: {
      IDP_ISSUER: [ofPortal.url, ofOperators.url, foreign.url].join(','),
      IDP_OPERATOR_ISSUER: ofOperators.url,
      // Two addresses of one identity provider, as two applications of one authentik.
      IDP_MANAGED_ISSUER: `${ofPortal.url},${ofOperators.url}`,
    },
  })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await Promise.all([ofPortal, ofOperators, foreign].map((one) => one[Symbol.asyncDispose]()))
})

const me = async (issuer: Issuer, claims: Record<string, unknown>) =>
  (await testApp.request('GET', '/users/me', { token: await issuer.sign(claims) })).body
let sub: string
beforeEach(() => {
  sub = randomBytes(32).toString('hex')
})

it('a token of the portal issuer with the operator audience is accepted, and never an operator', async () => {
  const person = personClaims('operator@atrium.test')
  const ask = async (issuer: Issuer, aud: string, path = '/users?limit=1') =>
    testApp.request('GET', path, { token: await issuer.sign({ ...person, aud }) })
  expect((await ask(ofOperators, operator.clientId)).status).toBe(200)
  expect(await ask(ofPortal, operator.clientId)).toMatchObject({
    status: 403,
    body: { code: 'operator_required' },
  })
  expect(await ask(ofOperators, portal.clientId)).toMatchObject({
    status: 403,
    body: { code: 'operator_required' },
  })
  // It names a person all the same: its audience is one of those that are accepted.
  expect((await ask(ofPortal, operator.clientId, '/users/me')).status).toBe(200)
  // Over what an operator may besides a member, too.
  expect((await ask(ofOperators, operator.clientId, '/tenants/acme/users')).status).toBe(200)
  expect((await ask(ofPortal, operator.clientId, '/tenants/acme/users')).status).toBe(403)
})

it('the issuers of one identity provider name one person', async () => {
  const first = await me(ofPortal, { sub, email: 'one@example.test' })
  const second = await me(ofOperators, { sub, email: 'one@example.test', aud: operator.clientId })
  expect(second.id).toBe(first.id)
  expect(first.idpSubjectId).toBe(sub)
})

it('the same subject of another identity provider is another person, whose groups give nothing', async () => {
  const claims = personClaims('owner@acme.test')
  const ours = await me(ofPortal, claims)
  expect(ours.tenants).toMatchObject([{ slug: 'acme', role: 'owner' }])
  const theirs = await me(foreign, {
    ...claims,
    email: undefined,
    groups: ['acme', 'platform-admins'],
  })
  expect(theirs.id).not.toBe(ours.id)
  expect(theirs).toMatchObject({
    platformAdmin: false,
    tenants: [],
    idpSubjectId: `${new URL('/', foreign.url)}|${claims.sub}`,
  })
  expect(theirs.email).toMatch(/^[0-9a-f]{64}@unknown\.invalid$/)
  expect(
    (await testApp.request('GET', '/tenants/acme', { token: await foreign.sign(claims) })).status,
  ).toBe(404)
  expect((await me(foreign, { ...claims, email: undefined })).id).toBe(theirs.id)
})

it('a subject that reads as another provider’s person identifies no one', async () => {
  await me(foreign, { sub })
  const forged = await ofPortal.sign({ sub: `${new URL('/', foreign.url)}|${sub}` })
  expect(await testApp.request('GET', '/users/me', { token: forged })).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated' },
  })
})
