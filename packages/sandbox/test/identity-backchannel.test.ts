import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { authentikApi } from './authentik-api.ts'
import { openPortal } from './portal.ts'

describe('back-channel logout', () => {
  it('tells each application that holds a live access token of the session, with a signed logout token', async () => {
    const received: { path: string; body: string }[] = []
    const portalServer = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        received.push({ path: request.url ?? '', body })
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(portalServer, 'listening')
    const origin = `http://localhost:${(portalServer.address() as AddressInfo).port}`
    const sandbox = await startSandbox({
      apps: { portal: { origin }, operator: { origin: 'http://localhost:1' } },
    })
    try {
      const portal = await openPortal(sandbox, { origin })
      const tokens = await portal.signIn({ person: 'owner@acme.test' })
      const url = oidc.buildEndSessionUrl(portal.config, {
        id_token_hint: String(tokens.id_token),
        post_logout_redirect_uri: `${origin}/`,
      })
      expect((await portal.browser.get(url.href)).status).toBe(200)
      await sandbox.identity.settled()

      const notice = received.find((one) => one.path === '/auth/backchannel-logout')
      const token = new URLSearchParams(notice?.body).get('logout_token') ?? ''
      const keys = createRemoteJWKSet(new URL(`${sandbox.issuers.portal}jwks/`))
      const { payload } = await jwtVerify(token, keys, {
        issuer: sandbox.issuers.portal,
        audience: 'atrium-portal',
        typ: 'logout+jwt',
      })
      expect(payload).toMatchObject({
        sub: tokens.claims()?.sub,
        sid: tokens.claims()?.sid,
        jti: expect.any(String),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      })
      expect(payload).not.toHaveProperty('nonce')
      expect(sandbox.state().identity.records).toMatchObject({
        logoutNotices: [{ outcome: 200, sub: payload.sub }],
      })
    } finally {
      await sandbox.close()
      portalServer.closeAllConnections()
      portalServer.close()
    }
  })

  it('notes an application that cannot be reached, and ends the session all the same', async () => {
    const sandbox = await startSandbox({
      apps: {
        portal: { origin: 'http://localhost:1' },
        operator: { origin: 'http://localhost:1' },
      },
    })
    try {
      await sandbox.token('owner@acme.test', 'portal')
      const api = authentikApi(sandbox)
      await api.patch(`core/users/${await api.pk('core/users/?username=owner@acme.test')}/`, {
        is_active: false,
      })
      await sandbox.identity.settled()
      expect(sandbox.state().identity.records).toMatchObject({
        logoutNotices: [
          expect.objectContaining({ outcome: expect.stringContaining('not delivered') }),
        ],
      })
      expect((await api.get('core/authenticated_sessions/')).results).toEqual([])
    } finally {
      await sandbox.close()
    }
  })
})
