import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { flowAddress } from '../src/account-pages.ts'

let testBff: TestBff
beforeAll(async () => {
  testBff = await startTestBff({
    env: { IDP_RECOVERY_FLOW: 'atrium-recovery', IDP_PASSKEY_FLOW: 'our-passkeys' },
  })
}, 120_000)
afterEach(() => testBff.sandbox.clearFaults())
afterAll(() => testBff[Symbol.asyncDispose]())

const person = 'owner@acme.test'
const locationOf = async (path: string, browser = testBff.browser()) => {
  const response = await browser.fetch(`${testBff.publicUrl}${path}`)
  return {
    status: response.status,
    url: new URL(response.headers.get('location') ?? '/', testBff.publicUrl),
  }
}

describe('the pages on which a person changes their sign-in', () => {
  it('begin with a sign-in, which leads to the flow at the provider and back with another one', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    const first = await locationOf('/auth/account/password', browser)
    expect(first).toMatchObject({ status: 302 })
    expect(first.url.pathname).toMatch(/\/authorize\/$/)

    const { url } = await locationOf('/auth/account/password?open', browser)
    expect(url.origin).toBe(new URL(testBff.sandbox.issuers.portal).origin)
    expect(url.pathname).toBe('/if/flow/default-password-change/')
    const next = new URL(url.searchParams.get('next') ?? '', url)
    expect(next.pathname).toMatch(/\/authorize\/$/)
    expect(next.searchParams.get('redirect_uri')).toBe(`${testBff.publicUrl}/auth/callback`)
    const { url: callback } = await browser.follow(next.href, (at) => at.includes('/auth/callback'))
    const back = await browser.fetch(callback)
    expect(back.headers.get('location')).toBe('/profile/security')
  })

  it('are those of the settings, and no others', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    const { url } = await locationOf('/auth/account/passkey?open', browser)
    expect(url.pathname).toBe('/if/flow/our-passkeys/')
    for (const page of ['nothing', 'toString', '..%2Flogin'])
      expect((await locationOf(`/auth/account/${page}?open`, browser)).url.pathname).toBe(
        '/signed-out',
      )
  })

  it('open for nobody without a session', async () => {
    expect((await locationOf('/auth/account/password?open')).url.href).toContain(
      '/signed-out?error=sign_in_expired',
    )
  })

  it('say so when the provider cannot be reached', async () => {
    await using unreachable = await startTestBff({
      bff: { idpDeadlineSeconds: 1 },
      env: { IDP_ISSUER: 'http://localhost:9/application/o/atrium-portal/' },
    })
    for (const path of ['/auth/account/password', '/auth/recovery']) {
      const response = await unreachable.browser().fetch(`${unreachable.publicUrl}${path}`)
      if (path === '/auth/recovery') expect(response.status).toBe(404)
      else expect(response.headers.get('location')).toBe('/signed-out?error=unavailable')
    }
  })
})

describe('a forgotten password', () => {
  it('leads everybody to the same flow of the provider', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    for (const visitor of [testBff.browser(), browser]) {
      const { status, url } = await locationOf('/auth/recovery', visitor)
      expect({ status, path: url.pathname }).toEqual({
        status: 302,
        path: '/if/flow/atrium-recovery/',
      })
      expect(url.searchParams.get('next')).toMatch(/^\/application\/o\/.*authorize\/\?/)
    }
  })

  it('is for an admin to solve where the provider has no such flow', async () => {
    await using without = await startTestBff()
    const response = await without.browser().fetch(`${without.publicUrl}/auth/recovery`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Ask an admin of your workplace')
  })
})

it.each([
  [
    'https://auth.test/application/o/portal/',
    'https://auth.test/application/o/authorize/?a=1&b=2',
    'https://auth.test/if/flow/x/?next=%2Fapplication%2Fo%2Fauthorize%2F%3Fa%3D1%26b%3D2',
  ],
  [
    'https://auth.test/',
    'https://auth.test/o/?a=1',
    'https://auth.test/if/flow/x/?next=%2Fo%2F%3Fa%3D1',
  ],
  [
    'https://auth.test/id/application/o/portal/',
    'https://auth.test/id/o/',
    'https://auth.test/id/if/flow/x/?next=%2Fid%2Fo%2F',
  ],
  [
    'https://auth.test/application/o/portal/',
    'https://evil.test/o/',
    'https://auth.test/if/flow/x/',
  ],
])('the flow of issuer %s that goes on to %s is %s', (issuer, back, address) => {
  expect(flowAddress(issuer, 'x', back)).toBe(address)
})
