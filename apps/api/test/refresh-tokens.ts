import { createHash, randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import type { TestApp } from '@atrium/testing/test-app'

const redirectUri = 'http://localhost:4100/auth/callback'

/**
 * Signs somebody in at the identity provider as the portal's server does, and returns the refresh
 * token of it. In place of a one-time password the person chooses an own one.
 */
export async function newRefreshToken(
  testApp: TestApp,
  identifier: string,
  password: string,
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const cookies = new Map<string, string>()
  let page = ''
  const visit = async (url: string, init: RequestInit = {}): Promise<string> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
    })
    page = await response.text()
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined && value !== undefined) cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) return url
    const next = new URL(location, url).href
    return next.startsWith(redirectUri) ? next : visit(next)
  }
  const authorize = new URL(`${testApp.sandbox.issuers.portal}authorize/`)
  authorize.search = new URLSearchParams({
    client_id: demoClients.portal.clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email profile groups offline_access',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'state',
  }).toString()
  const form = await visit(authorize.href)
  const post = (fields: Record<string, string>) =>
    visit(form, { method: 'POST', body: new URLSearchParams(fields) })
  let end = await post({ identifier, password })
  const [, user] = /name="user" value="([^"]*)"/.exec(page) ?? []
  const [, proof] = /name="proof" value="([^"]*)"/.exec(page) ?? []
  if (user !== undefined && proof !== undefined) {
    const own = randomBytes(12).toString('hex')
    end = await post({ user, proof, 'new-password': own, 'new-password-repeat': own })
  }
  const returned = new URL(end)
  const code = returned.searchParams.get('code') ?? ''
  const { body } = await grant(testApp, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  if (typeof body.refresh_token !== 'string')
    throw new Error(`no refresh token: ${JSON.stringify(body)}`)
  return body.refresh_token
}

/**
 * What the identity provider says to a refresh: 200 with new tokens, or 400 `invalid_grant` once
 * the token has ended.
 */
export async function refresh(
  testApp: TestApp,
  refreshToken: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return grant(testApp, { grant_type: 'refresh_token', refresh_token: refreshToken })
}

async function grant(
  testApp: TestApp,
  fields: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { clientId, clientSecret } = demoClients.portal
  const body = new URLSearchParams({ ...fields, client_id: clientId, client_secret: clientSecret })
  const response = await fetch(`${testApp.sandbox.issuers.portal}token/`, { method: 'POST', body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
