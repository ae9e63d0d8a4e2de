import './runtime-notice.ts'

import Provider, {
  type ClientMetadata,
  type Configuration,
  errors,
  type FindAccount,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { parseDuration } from '../duration.ts'
import { activeUserBySubject, mayUse } from '../people.ts'
import {
  type ApplicationRecord,
  type LoginRecord,
  type ProviderRecord,
  type Store,
  sessionIdClaim,
} from '../records.ts'
import {
  accessTokenSeconds,
  authorizationCodeSeconds,
  issuerOf,
  recordAccessToken,
} from './access-tokens.ts'
import { createAdapter } from './adapter.ts'
import { accessTokenClaims, acr, attachedScopes, scopeClaims } from './claims.ts'
import { deviceCodeGrant, devicePages, deviceRoute } from './device-pages.ts'
import { signingKeys } from './keys.ts'
import { sessionSeconds, touchLogin } from './logins.ts'

export interface ProviderParts {
  readonly store: Store
  readonly application: ApplicationRecord
  readonly provider: ProviderRecord
  /** Path of the page that asks the person: gets the id of the sign-in under way. */
  readonly interactionPath: (uid: string) => string
  readonly renderError: NonNullable<Configuration['renderError']>
}

const supportedGrants: readonly string[] = ['authorization_code', 'refresh_token', deviceCodeGrant]

/** Grants must outlive every refresh token that hangs on them. */
const grantSeconds = 400 * 86_400

/**
 * The names of the cookies. They carry the port, because cookies of one host are shared between its
 * ports.
 */
export function cookieNames(store: Store): {
  session: string
  interaction: string
  resume: string
} {
  const { port } = new URL(store.origin())
  return {
    session: `sandbox_session_${port}`,
    interaction: `sandbox_signin_${port}`,
    resume: `sandbox_resume_${port}`,
  }
}

/**
 * The OpenID provider of one application. Its endpoints are those of authentik as far as our
 * clients meet them; it expects to be mounted at `/application/o/<slug>`. Where oidc-provider is
 * stricter or richer than authentik, it is bent here and only here.
 */
export function createOpenIdProvider(parts: ProviderParts): Provider {
  const { store, application, provider, interactionPath } = parts
  const issuer = issuerOf(store, application, provider)
  const base = `${store.origin()}/application/o/${application.slug}/`
  const scopes = [...attachedScopes(store, provider)]
  const asymmetric = provider.signing_key !== null
  const refreshSeconds = Math.max(
    1,
    Math.round(parseDuration(provider.refresh_token_validity) ?? 30 * 86_400),
  )

  const findAccount: FindAccount = (ctx, sub, token) => {
    const user = activeUserBySubject(store, sub)
    // The token endpoint rejects a person whom the bindings shut out; the authorize endpoint shows
    // a page about it instead.
    if (!user || (token && !mayUse(store, application, user))) return undefined
    if (token?.kind === 'RefreshToken' && refreshScopeDiffers(ctx.oidc.params?.scope, token)) {
      throw new errors.InvalidScope(
        'The requested scope is invalid, unknown, or malformed',
        String(ctx.oidc.params?.scope),
      )
    }
    return {
      accountId: sub,
      claims: (_use, scope) => ({
        sub,
        ...(provider.include_claims_in_id_token &&
          scopeClaims(store, user, new Set(scope.split(' ')))),
      }),
    }
  }

  const configuration: Configuration = {
    adapter: createAdapter(store, (payload, expires) => {
      const request = Provider.ctx?.request
      touchLogin(store, {
        uid: String(payload.uid),
        subject: String(payload.accountId),
        authTime: Number(payload.loginTs),
        expires,
        ip: request?.ip?.replace(/^::ffff:/, '') ?? '',
        userAgent: request?.get('user-agent') ?? '',
      })
    }),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    responseTypes: ['code'],
    clients: [clientMetadata(provider, asymmetric)],
    jwks: { keys: signingKeys(store).map((key) => key.privateJwk) },
    acrValues: [acr],
    scopes,
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'preferred_username', 'nickname', 'groups'],
      groups: ['groups'],
      entitlements: ['entitlements', 'roles'],
    },
    // authentik puts every claim into the ID token.
    conformIdTokenClaims: false,
    cookies: {
      names: cookieNames(store),
      keys: [store.records.cookieKey],
      long: { signed: true, sameSite: 'lax', httpOnly: true, path: '/' },
      short: { signed: true, sameSite: 'lax', httpOnly: true },
    },
    discovery: {
      userinfo_endpoint: `${store.origin()}/application/o/userinfo/`,
      end_session_endpoint: `${base}end-session/`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    },
    enabledJWA: { idTokenSigningAlgValues: [asymmetric ? 'RS256' : 'HS256'] },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: devicePages(store),
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // The endpoints of authentik for these two are ours: one for the instance, and one with a
      // flow behind it.
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: scopes.join(' '),
          audience: provider.client_id,
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenSeconds(provider),
          jwt: {
            sign: asymmetric
              ? { alg: 'RS256' }
              : { alg: 'HS256', key: Buffer.from(provider.client_secret) },
          },
        }),
      },
    },
    findAccount,
    formats: {
      bitsOfOpaqueRandomness: (_ctx, token) => (token.kind === 'RefreshToken' ? 768 : 256),
      customizers: {
        jwt: (ctx, _token, jwt) => {
          const { AuthorizationCode, DeviceCode, RefreshToken } = ctx.oidc.entities
          const source = AuthorizationCode ?? DeviceCode ?? RefreshToken
          const user = activeUserBySubject(store, String(jwt.payload.sub))
          if (!source || !user) throw new errors.InvalidGrant('The person is gone.')
          const input = {
            issuer,
            provider,
            user,
            scope: String(source.scope ?? ''),
            session: store.records.logins.find((login) => login.uid === source.sessionUid)?.uid,
            authTime: Number(source.authTime),
            amr: source.amr ?? [],
            nonce: source.nonce,
            jti: String(jwt.payload.jti),
            iat: Number(jwt.payload.iat),
            exp: Number(jwt.payload.exp),
          }
          recordAccessToken(store, input)
          jwt.header = { ...jwt.header, typ: 'JWT' }
          jwt.payload = accessTokenClaims(store, input)
        },
      },
    },
    interactions: {
      policy: signInPolicy(parts),
      url: (_ctx, interaction) => interactionPath(interaction.uid),
    },
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    // Implicit consent: whatever is asked for and attached is granted.
    loadExistingGrant: async (ctx) => {
      const { account, client, session } = ctx.oidc
      if (!account || !client || !session) return undefined
      const grantId = session.grantIdFor(client.clientId)
      const grant =
        (grantId && (await ctx.oidc.provider.Grant.find(grantId))) ||
        new ctx.oidc.provider.Grant({ accountId: account.accountId, clientId: client.clientId })
      grant.addOIDCScope(scopes.join(' '))
      grant.addResourceScope(issuer, scopes.join(' '))
      await grant.save()
      session.sidFor(client.clientId, sessionIdClaim(session.uid))
      return grant
    },
    pkce: { required: () => false },
    renderError: parts.renderError,
    rotateRefreshToken: true,
    routes: {
      authorization: '/authorize/',
      token: '/token/',
      code_verification: deviceRoute,
      jwks: '/jwks/',
      revocation: '/revoke/',
    },
    ttl: {
      AccessToken: accessTokenSeconds(provider),
      AuthorizationCode: authorizationCodeSeconds(provider),
      DeviceCode: authorizationCodeSeconds(provider),
      Grant: grantSeconds,
      IdToken: accessTokenSeconds(provider),
      Interaction: 3_600,
      RefreshToken: refreshSeconds,
      Session: sessionSeconds,
    },
  }

  const openId = new Provider(issuer, configuration)
  respondLikeAuthentik(openId, store)
  followRedirectRules(openId, provider)
  return openId
}

/**
 * authentik measured: a refresh that names a scope other than the granted one is rejected, also
 * when it asks for less.
 */
function refreshScopeDiffers(requested: unknown, token: { scope?: string | undefined }): boolean {
  if (typeof requested !== 'string' || requested === '') return false
  const sorted = (scope: string) => scope.split(' ').sort().join(' ')
  return sorted(requested) !== sorted(token.scope ?? '')
}

function clientMetadata(provider: ProviderRecord, asymmetric: boolean): ClientMetadata {
  const uris = provider.redirect_uris.filter(
    (uri) => uri.redirect_uri_type === 'authorization' && uri.matching_mode === 'strict',
  )
  return {
    client_id: provider.client_id,
    client_secret: provider.client_secret,
    // oidc-provider wants one at registration; what is allowed is decided by followRedirectRules.
    redirect_uris: uris.length > 0 ? uris.map((uri) => uri.url) : ['http://localhost/none'],
    grant_types: provider.grant_types.filter((grant) => supportedGrants.includes(grant)),
    response_types: provider.grant_types.includes('authorization_code') ? ['code'] : [],
    // Accepts the secret in the body too.
    token_endpoint_auth_method: provider.client_type === 'public' ? 'none' : 'client_secret_basic',
    id_token_signed_response_alg: asymmetric ? 'RS256' : 'HS256',
  }
}

/**
 * Prompts in their order: sign in, then a page for those whom the bindings shut out. Consent is
 * never asked for.
 */
function signInPolicy({ store, application }: ProviderParts): interactionPolicy.Prompt[] {
  const policy = interactionPolicy.base()
  policy.get('consent')?.checks.clear()
  askAgainLikeAuthentik(store, policy)
  const denied = new interactionPolicy.Check(
    'denied',
    'The person may not use this application.',
    (ctx) => {
      const user = activeUserBySubject(store, ctx.oidc.session?.accountId ?? '')
      return user ? !mayUse(store, application, user) : false
    },
  )
  policy.add(new interactionPolicy.Prompt({ name: 'access', requestable: false }, denied))
  return policy
}

/**
 * When authentik asks a signed-in person again (its authorize view): `max_age` when the
 * sign-in is older; `prompt=login` once, since it remembers in the session which sign-in was to be
 * renewed and lets every later one pass.
 */
function askAgainLikeAuthentik(store: Store, policy: interactionPolicy.DefaultPolicy): void {
  const checks = policy.get('login')?.checks
  if (!checks) throw new Error('oidc-provider has no login prompt.')
  const check = (
    reason: string,
    needed: (ctx: KoaContextWithOIDC, login: LoginRecord) => boolean,
  ) => {
    checks.remove(reason)
    checks.add(
      new interactionPolicy.Check(
        reason,
        'The person has to sign in again.',
        'login_required',
        (ctx) => {
          const login = store.records.logins.find((one) => one.uid === ctx.oidc.session?.uid)
          if (!login || ctx.oidc.result?.login || !needed(ctx, login)) return false
          login.renewed = login.authTime
          store.changed()
          return true
        },
      ),
    )
  }
  check('max_age', ({ oidc }, { authTime }) => {
    const maxAge = oidc.params?.max_age
    return maxAge !== undefined && store.now() / 1000 - authTime > Number(maxAge)
  })
  check('login_prompt', ({ oidc }, { authTime, renewed }) => {
    const requested = String(oidc.params?.prompt ?? '').split(' ')
    return requested.includes('login') && (renewed === undefined || renewed === authTime)
  })
}

/**
 * Status codes and headers of the token endpoint where authentik differs from the OAuth 2.0 text,
 * and the one address at which all programs ask for codes.
 */
function respondLikeAuthentik(openId: Provider, store: Store): void {
  openId.use(async (ctx, next) => {
    await next()
    if (ctx.path.endsWith('/openid-configuration'))
      Object.assign(ctx.body as object, {
        device_authorization_endpoint: `${store.origin()}/application/o/device/`,
      })
    if (
      !ctx.path.startsWith('/token') ||
      ctx.status < 400 ||
      typeof ctx.body !== 'object' ||
      ctx.body === null
    )
      return
    const body = ctx.body
    if (ctx.status === 401) ctx.status = 400
    ctx.remove('www-authenticate')
    ctx.body = { ...body, request_id: crypto.randomUUID().replaceAll('-', '') }
  })
  // Without a consent prompt oidc-provider drops offline_access; authentik grants it to every
  // caller.
  const { prototype } = openId.OIDCContext
  const declared = Object.getOwnPropertyDescriptor(prototype, 'prompts')
  Object.defineProperty(prototype, 'prompts', {
    configurable: true,
    get() {
      return new GrantedConsent(declared?.get?.call(this))
    },
  })
}

class GrantedConsent extends Set<string> {
  override has(prompt: string): boolean {
    return prompt === 'consent' || super.has(prompt)
  }
}

/**
 * Redirect addresses by authentik's rules: exact text, or a regular expression that must match the
 * whole address.
 */
function followRedirectRules(openId: Provider, provider: ProviderRecord): void {
  const allowed = (type: string) => (value: string) =>
    provider.redirect_uris.some(
      (uri) => uri.redirect_uri_type === type && redirectMatches(uri.matching_mode, uri.url, value),
    )
  Object.assign(openId.Client.prototype, {
    redirectUriAllowed: allowed('authorization'),
    includeSid: () => true,
  })
}

export function redirectMatches(mode: string, pattern: string, value: string): boolean {
  return mode === 'regex' ? new RegExp(`^(?:${pattern})$`).test(value) : pattern === value
}
