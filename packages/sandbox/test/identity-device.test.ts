import { commandLineClient } from '@atrium/core/demo/demo'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { describe, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { identityTestServer, owner, subjectOf } from './identity-test-server.ts'

const { sandbox, api, pkOf } = identityTestServer()
const scope = 'openid email profile offline_access'

const configuration = () =>
  oidc.discovery(
    new URL(sandbox().issuers.commandLine),
    commandLineClient.clientId,
    undefined,
    oidc.None(),
    { execute: [oidc.allowInsecureRequests] },
  )
/** The values of the hidden fields of a page's form. */
const hiddenFields = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

/** Opens the link of a code, allows the program and signs in where the browser is not signed in. */
async function allow(link: string, browser = openBrowser([])) {
  const submitted = await browser.get(link)
  const at = submitted.url.split('?')[0] ?? ''
  const confirm = await browser.post(at, hiddenFields(submitted.text))
  expect(confirm.text).toContain('Allow Atrium command line')
  const next = await browser.post(at, hiddenFields(confirm.text))
  return next.url.includes('/if/signin/') ? browser.post(next.url, { person: owner }) : next
}

describe('the sign-in of a program without a browser', () => {
  it('waits for the person, who allows it, and gives tokens without session and methods', async () => {
    const config = await configuration()
    const started = await oidc.initiateDeviceAuthorization(config, { scope })
    expect(started).toMatchObject({
      user_code: expect.stringMatching(/^\d{9}$/),
      verification_uri: `${sandbox().identityUrl}/device`,
      verification_uri_complete: `${sandbox().identityUrl}/device?code=${started.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    const poll = () =>
      oidc.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:device_code', {
        device_code: started.device_code,
      })
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' })
    expect((await allow(String(started.verification_uri_complete))).text).toContain('signed in')
    const tokens = await poll()
    const claims = decodeJwt(tokens.access_token)
    expect(claims).toMatchObject({
      iss: sandbox().issuers.commandLine,
      aud: 'atrium-cli',
      sub: subjectOf(owner),
      email: owner,
    })
    expect(claims).not.toHaveProperty('sid')
    expect(claims).not.toHaveProperty('amr')
    await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' })
    const refreshed = await oidc.refreshTokenGrant(config, String(tokens.refresh_token))
    expect(decodeJwt(refreshed.access_token)).toMatchObject({
      aud: 'atrium-cli',
      auth_time: claims.auth_time,
    })
    await oidc.tokenRevocation(config, String(refreshed.refresh_token))
    await expect(
      oidc.refreshTokenGrant(config, String(refreshed.refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('asks a signed-in person too, each time', async () => {
    const browser = openBrowser([])
    for (let time = 0; time < 2; time++) {
      const config = await configuration()
      const { verification_uri_complete: link } = await oidc.initiateDeviceAuthorization(config, {
        scope,
      })
      expect((await allow(String(link), browser)).text).toContain('signed in')
    }
  })

  it('says that a code is wrong', async () => {
    const page = await openBrowser([]).get(`${sandbox().identityUrl}/device?code=000000000`)
    expect(page.text).toContain('Invalid code')
  })

  it('is only for programs that may', async () => {
    const response = await fetch(`${sandbox().identityUrl}/application/o/device/`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'atrium-portal', scope }),
    })
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_client' }])
  })

  it('ends with the account of the person', async () => {
    const config = await configuration()
    const started = await oidc.initiateDeviceAuthorization(config, { scope })
    await allow(String(started.verification_uri_complete))
    const tokens = await oidc.genericGrantRequest(
      config,
      'urn:ietf:params:oauth:grant-type:device_code',
      { device_code: started.device_code },
    )
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: false })
    await expect(
      oidc.refreshTokenGrant(config, String(tokens.refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})
