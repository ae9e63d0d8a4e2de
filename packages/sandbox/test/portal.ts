import { demoClients } from '@atrium/core/demo/demo'
import * as oidc from 'openid-client'
import type { Sandbox } from '../src/start.ts'
import { type Browser, openBrowser, type Page } from './browser.ts'

/** What a portal's server does: discovery, code flow with PKCE, refresh. */
export interface Portal {
  readonly config: oidc.Configuration
  readonly browser: Browser
  /**
   * Starts a sign-in and returns the page that the person meets, or the return address when there
   * is nothing to ask.
   */
  start(parameters?: Record<string, string>): Promise<Page>
  /** Signs in as a demo person, or with a password, and exchanges the code. */
  signIn(
    who: { person: string } | { identifier: string; password: string },
    parameters?: Record<string, string>,
  ): Promise<Tokens>
  /** Exchanges the code in a return address. */
  finish(returned: Page): Promise<Tokens>
}

export type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers

export async function openPortal(
  sandbox: Sandbox,
  options: {
    app?: 'portal' | 'operator'
    origin?: string
    browser?: Browser
    clientSecret?: string
  } = {},
): Promise<Portal> {
  const app = options.app ?? 'portal'
  const { clientId, clientSecret } = demoClients[app]
  const config = await oidc.discovery(
    new URL(sandbox.issuers[app]),
    clientId,
    undefined,
    oidc.ClientSecretBasic(options.clientSecret ?? clientSecret),
    { execute: [oidc.allowInsecureRequests] },
  )
  const redirectUri = `${options.origin ?? (app === 'portal' ? 'http://localhost:4100' : 'http://localhost:4200')}/auth/callback`
  const browser = options.browser ?? openBrowser([redirectUri])
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const nonce = oidc.randomNonce()

  const portal: Portal = {
    config,
    browser,
    async start(parameters = {}) {
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile groups offline_access',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      })
      return browser.get(url.href)
    },
    async signIn(who, parameters) {
      const page = await portal.start(parameters)
      return portal.finish(await browser.post(page.url, { ...who }))
    },
    finish: (returned) =>
      oidc.authorizationCodeGrant(config, new URL(returned.url), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
      }),
  }
  return portal
}
