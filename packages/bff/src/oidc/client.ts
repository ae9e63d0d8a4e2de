import * as openid from 'openid-client'
import { isHttps } from '../config.ts'

/** What a sign-in or a refresh gives. */
export interface IssuedTokens {
  access: string
  refresh: string | undefined
  id: string | undefined
  /** Seconds that the access token lives from now on. */
  accessSeconds: number
}

/** The person and login that an ID token speaks of. */
export interface SignedInPerson {
  subject: string
  /** `sid`: the login at the identity provider, which a back-channel logout names. */
  idpSessionId: string | undefined
  email: string | undefined
  /** `auth_time`, seconds since 1970: when the person last proved to the provider who they are. */
  authTime: number | undefined
  /** `amr` names `mfa` (RFC 8176): a second factor was proved in this sign-in. */
  secondFactor: boolean
}

/** What is remembered between sending a browser to the identity provider and its return. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

/** The identity provider cannot be reached, or fails on its side. It may work later. */
export class IdentityProviderUnavailable extends Error {
  constructor(cause: unknown) {
    super('The identity provider cannot be reached.', { cause })
    this.name = 'IdentityProviderUnavailable'
  }
}

export interface OidcClient {
  /**
   * Where to send the browser, and what to remember until it comes back. `maxAge`: a person whose
   * sign-in is older, in seconds, is asked again although they are signed in there. `loginHint`:
   * whom the page may fill in.
   */
  startSignIn(options?: {
    maxAge?: number | undefined
    loginHint?: string | undefined
  }): Promise<{ url: string; secrets: SignInSecrets }>
  /**
   * Exchanges the code of a callback. `query` is the unchanged query of the callback, with the
   * question mark. Throws openid-client's error for a response that does not belong to `secrets` or
   * is invalid, and IdentityProviderUnavailable.
   */
  finishSignIn(
    query: string,
    secrets: SignInSecrets,
  ): Promise<{ tokens: IssuedTokens; person: SignedInPerson }>
  /**
   * New tokens; undefined when the provider no longer accepts the refresh token. Any other failure
   * throws.
   */
  refresh(refreshToken: string, subject: string): Promise<IssuedTokens | undefined>
  /** Best effort: a provider without a revocation endpoint is left alone. */
  revoke(refreshToken: string): Promise<void>
  /**
   * RP-initiated logout address, with the ID token as a hint if it fits into an address; undefined
   * when the provider has none.
   */
  signOutUrl(idToken: string | undefined): Promise<string | undefined>
  /** Address of the provider's published keys. */
  keysUrl(): Promise<URL>
}

export interface OidcOptions {
  issuer: string
  clientId: string
  clientSecret: string
  publicUrl: string
  /** How long a call to the provider may take, in seconds. */
  deadlineSeconds?: number
}

/**
 * ID tokens name every group of their person. Proxies in front of a provider reject addresses of
 * more than 8 kB, so a longer token is left out of the logout address: the hint is optional there
 * (OpenID Connect RP-Initiated Logout 1.0, section 2), and `client_id` names the application.
 */
const longestHint = 4_096

const scope = 'openid email profile groups offline_access'

/**
 * The code flow with PKCE against one issuer (OpenID Connect Core 1.0, RFC 7636, RFC 9700). The
 * provider is discovered on first use, so that the server starts without it, and again after every
 * failure to do so.
 */
export function createOidcClient(options: OidcOptions): OidcClient {
  const { publicUrl, deadlineSeconds = 5 } = options
  const callbackUrl = `${publicUrl}/auth/callback`
  let discovered: Promise<Configurations> | undefined

  function provider(): Promise<Configurations> {
    discovered ??= discover(options, deadlineSeconds).catch((error: unknown) => {
      discovered = undefined
      throw new IdentityProviderUnavailable(error)
    })
    return discovered
  }

  return {
    async startSignIn({ maxAge, loginHint } = {}) {
      const { signIn } = await provider()
      const secrets = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      }
      const url = openid.buildAuthorizationUrl(signIn, {
        redirect_uri: callbackUrl,
        scope,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
        ...(maxAge !== undefined && { max_age: String(maxAge) }),
        ...(loginHint !== undefined && { login_hint: loginHint }),
      })
      return { url: url.href, secrets }
    },

    async finishSignIn(query, { state, nonce, verifier }) {
      const { signIn } = await provider()
      // Built on the configured address: the Host header of the request is the sender's to choose.
      const response = await openid
        .authorizationCodeGrant(signIn, new URL(callbackUrl + query), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        .catch(rethrowClassified)
      const claims = response.claims()
      if (!claims) throw new Error('The identity provider sent no ID token.')
      return {
        tokens: toTokens(response),
        person: {
          subject: claims.sub,
          idpSessionId: text(claims.sid),
          email: text(claims.email)?.toLowerCase(),
          authTime: claims.auth_time,
          secondFactor: Array.isArray(claims.amr) && claims.amr.includes('mfa'),
        },
      }
    },

    async refresh(refreshToken, subject) {
      const { refreshing } = await provider()
      try {
        // No scope is sent: authentik rejects a refresh that names another set than the granted
        // one.
        const response = await openid.refreshTokenGrant(refreshing, refreshToken)
        const claims = response.claims()
        if (claims && claims.sub !== subject)
          throw new Error('The refreshed ID token is about another person.')
        return toTokens(response)
      } catch (error) {
        if (
          error instanceof openid.ResponseBodyError &&
          error.error === 'invalid_grant' &&
          error.status < 500
        )
          return undefined
        return rethrowClassified(error)
      }
    },

    async revoke(refreshToken) {
      const { refreshing } = await provider()
      if (!refreshing.serverMetadata().revocation_endpoint) return
      await openid
        .tokenRevocation(refreshing, refreshToken, { token_type_hint: 'refresh_token' })
        .catch(rethrowClassified)
    },

    async signOutUrl(idToken) {
      const { signIn } = await provider()
      if (!signIn.serverMetadata().end_session_endpoint) return undefined
      const hint =
        idToken !== undefined && idToken.length <= longestHint ? { id_token_hint: idToken } : {}
      return openid.buildEndSessionUrl(signIn, {
        post_logout_redirect_uri: `${publicUrl}/signed-out`,
        ...hint,
      }).href
    },

    async keysUrl() {
      const { signIn } = await provider()
      const { jwks_uri } = signIn.serverMetadata()
      if (!jwks_uri)
        throw new IdentityProviderUnavailable(new Error('The discovery document names no keys.'))
      return new URL(jwks_uri)
    },
  }
}

interface Configurations {
  /** Verifies the signatures of ID tokens. */
  signIn: openid.Configuration
  /**
   * Relies on the connection to the provider instead, as OpenID Connect Core 3.1.3.7 allows: were
   * the keys unreadable at that moment, the new refresh token would be lost and the old one is
   * spent.
   */
  refreshing: openid.Configuration
}

async function discover(options: OidcOptions, timeout: number): Promise<Configurations> {
  const { issuer, clientId, clientSecret } = options
  const insecure = isHttps(issuer) ? [] : [openid.allowInsecureRequests]
  // The secret in the body: in a Basic header it is form-encoded first (RFC 6749 section 2.3.1),
  // which not every provider undoes.
  const authentication = openid.ClientSecretPost(clientSecret)
  const signIn = await openid.discovery(new URL(issuer), clientId, undefined, authentication, {
    timeout,
    execute: [...insecure, openid.enableNonRepudiationChecks],
  })
  const refreshing = new openid.Configuration(
    signIn.serverMetadata(),
    clientId,
    undefined,
    authentication,
  )
  refreshing.timeout = timeout
  for (const allow of insecure) allow(refreshing)
  return { signIn, refreshing }
}

/** Distinguishes an unavailable provider from a response that must not be accepted. */
function rethrowClassified(error: unknown): never {
  throw isNetworkFailure(error) || isServerFault(error)
    ? new IdentityProviderUnavailable(error)
    : error
}

function isNetworkFailure(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current.name === 'TimeoutError' || current.name === 'AbortError') return true
    if ('code' in current && current.code === 'OAUTH_TIMEOUT') return true
    // The error that `fetch` throws when there was no response.
    if (current instanceof TypeError && current.message === 'fetch failed') return true
    if (current.name === 'SocketError' || current.message === 'terminated') return true
  }
  return false
}

function isServerFault(error: unknown): boolean {
  if (error instanceof openid.AuthorizationResponseError)
    return ['server_error', 'temporarily_unavailable'].includes(error.error)
  if (error instanceof openid.ResponseBodyError) return isFaultStatus(error.status)
  // openid-client keeps a response that violates the protocol as the cause.
  for (let current = error; current instanceof Error; current = current.cause) {
    // Recognized by its status: the HTTP server replaces the global Response with its own class.
    if (hasStatus(current.cause)) return isFaultStatus(current.cause.status)
  }
  return false
}

function hasStatus(value: unknown): value is { status: number } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    typeof value.status === 'number'
  )
}

function isFaultStatus(status: number): boolean {
  return status >= 500 || status === 429
}

function toTokens(
  response: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
): IssuedTokens {
  return {
    access: response.access_token,
    refresh: response.refresh_token,
    id: response.id_token,
    // RFC 6749 only recommends expires_in; without it the token is tried for a minute at a time.
    accessSeconds: response.expires_in ?? 60,
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
