import { createPublicKey, randomBytes } from 'node:crypto'
import { decodeJwt, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose'
import { parseDuration } from '../duration.ts'
import { activeUserBySubject, applicationBySlug, mayUse, userByEmail } from '../people.ts'
import {
  type ApplicationRecord,
  nextPk,
  type ProviderRecord,
  type Store,
  type UserRecord,
} from '../records.ts'
import { type AccessTokenInput, accessTokenClaims, amrOf, attachedScopes } from './claims.ts'
import { privateKey, signingKeys } from './keys.ts'
import { loginForTokens } from './logins.ts'

/** Expired rows are swept when this many have gathered. */
const sweepAbove = 2_000

export function accessTokenSeconds(provider: ProviderRecord): number {
  return Math.max(1, Math.round(parseDuration(provider.access_token_validity) ?? 3_600))
}

/** The lifetime of an authorization code, which is also that of a device code. */
export function authorizationCodeSeconds(provider: ProviderRecord): number {
  return Math.max(1, Math.round(parseDuration(provider.access_code_validity) ?? 60))
}

export function issuerOf(
  store: Store,
  application: ApplicationRecord,
  provider: ProviderRecord,
): string {
  return provider.issuer_mode === 'global'
    ? `${store.origin()}/`
    : `${store.origin()}/application/o/${application.slug}/`
}

/** Lists the token, so that ending its login or its user can take it away from userinfo. */
export function recordAccessToken(store: Store, input: AccessTokenInput): void {
  const { records } = store
  if (records.accessTokens.length > sweepAbove) {
    records.accessTokens = records.accessTokens.filter((token) => token.exp * 1000 > store.now())
  }
  records.accessTokens.push({
    pk: nextPk(store),
    jti: input.jti,
    user: input.user.pk,
    provider: input.provider.pk,
    scope: input.scope,
    session: input.session ?? null,
    exp: input.exp,
  })
  store.changed()
}

/** The scopes that the portals ask for at sign-in. */
const portalScopes = ['openid', 'email', 'profile', 'groups', 'offline_access']

/** Why no token was issued: what the sign-in page or the token endpoint would have rejected. */
export interface TokenRejection {
  readonly status: 403 | 404
  readonly reason: string
}

/**
 * An access token as the code flow would issue it to this person and application: the same claims,
 * key and lifetime, with a login session behind it. The sign-in is of this moment unless
 * `signedInAt` says when it was.
 */
export async function issueAccessToken(
  store: Store,
  email: string,
  slug: string,
  signedInAt?: Date,
): Promise<{ accessToken: string } | TokenRejection> {
  const user = userByEmail(store, email)
  if (!user) return { status: 404, reason: `There is no user with the address ${email}.` }
  if (!user.is_active) return { status: 403, reason: `${email} is deactivated.` }
  const found = applicationBySlug(store, slug)
  if (!found) return { status: 404, reason: `There is no application ${slug}.` }
  const { application, provider } = found
  if (!mayUse(store, application, user))
    return { status: 403, reason: `${email} may not use ${application.name}.` }
  const login = loginForTokens(store, user)
  const iat = Math.floor(store.now() / 1000)
  const attached = attachedScopes(store, provider)
  const input: AccessTokenInput = {
    issuer: issuerOf(store, application, provider),
    provider,
    user,
    scope: portalScopes.filter((scope) => attached.has(scope)).join(' '),
    session: login.uid,
    authTime: signedInAt === undefined ? iat : Math.floor(signedInAt.getTime() / 1000),
    amr: amrOf(store, user),
    jti: randomBytes(24).toString('base64url'),
    iat,
    exp: iat + accessTokenSeconds(provider),
  }
  recordAccessToken(store, input)
  const key = provider.signing_key ? signingKeys(store)[0] : undefined
  const accessToken = await new SignJWT(accessTokenClaims(store, input))
    .setProtectedHeader({ alg: key ? 'RS256' : 'HS256', typ: 'JWT', ...(key && { kid: key.kid }) })
    .sign(key ? privateKey(key) : Buffer.from(provider.client_secret))
  return { accessToken }
}

/** The person and scopes of an active access token of ours; undefined for any other text. */
export async function readAccessToken(
  store: Store,
  token: string,
): Promise<{ user: UserRecord; scopes: Set<string> } | undefined> {
  try {
    const { jti, sub } = decodeJwt(token)
    const row = store.records.accessTokens.find((one) => one.jti === jti)
    const provider = store.records.providers.find((one) => one.pk === row?.provider)
    if (!row || !provider || row.exp * 1000 <= store.now()) return undefined
    await verify(store, provider, token)
    const user = activeUserBySubject(store, sub ?? '')
    return user && { user, scopes: new Set(row.scope.split(' ')) }
  } catch {
    return undefined
  }
}

async function verify(store: Store, provider: ProviderRecord, token: string): Promise<void> {
  const currentDate = new Date(store.now())
  if (!provider.signing_key) {
    await jwtVerify(token, Buffer.from(provider.client_secret), {
      algorithms: ['HS256'],
      currentDate,
    })
    return
  }
  const publicKey: JWTVerifyGetKey = ({ kid }) => {
    const key = signingKeys(store).find((one) => one.kid === kid)
    if (!key) throw new Error('The token is signed with a key that is not published.')
    return createPublicKey(privateKey(key))
  }
  await jwtVerify(token, publicKey, { algorithms: ['RS256'], currentDate })
}
