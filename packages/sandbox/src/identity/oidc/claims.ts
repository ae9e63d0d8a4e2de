import { groupsOf } from '../people.ts'
import { type ProviderRecord, type Store, sessionIdClaim, type UserRecord } from '../records.ts'

export const acr = 'goauthentik.io/providers/oauth2/default'

/**
 * How a person signs in at this moment: with the second factor too where they have a confirmed one,
 * which authentik's default flow then asks for. Recovery codes alone do not count.
 */
export function amrOf({ records }: Store, { pk }: Pick<UserRecord, 'pk'>): string[] {
  const enrolled = records.devices.some(
    (device) => device.user === pk && device.confirmed && device.kind !== 'static',
  )
  return enrolled ? ['pwd', 'mfa'] : ['pwd']
}

/** Scopes whose mapping is attached to the provider. Others are dropped without an error. */
export function attachedScopes(store: Store, provider: ProviderRecord): Set<string> {
  return new Set(
    store.records.mappings
      .filter((one) => provider.property_mappings.includes(one.pk))
      .map((one) => one.scope_name),
  )
}

/**
 * The claims that the attached mappings of the requested scopes give. Where two mappings give the
 * same list it is concatenated, so `profile` and a `groups` scope together name each direct group
 * twice.
 */
export function scopeClaims(
  store: Store,
  user: UserRecord,
  scopes: ReadonlySet<string>,
): Record<string, unknown> {
  const names = groupsOf(store, user).map((group) => group.name)
  const claims: Record<string, unknown> = {}
  if (scopes.has('email')) Object.assign(claims, { email: user.email, email_verified: false })
  if (scopes.has('profile')) {
    Object.assign(claims, {
      name: user.name,
      given_name: user.name,
      preferred_username: user.username,
      nickname: user.username,
    })
  }
  if (scopes.has('entitlements')) Object.assign(claims, { entitlements: [], roles: [] })
  if (scopes.has('profile') || scopes.has('groups')) {
    claims.groups = [
      ...(scopes.has('profile') ? names : []),
      ...(scopes.has('groups') ? names : []),
    ]
  }
  return claims
}

export interface AccessTokenInput {
  readonly issuer: string
  readonly provider: ProviderRecord
  readonly user: UserRecord
  readonly scope: string
  /** `uid` of the login; absent once the login has ended and only a refresh token is left of it. */
  readonly session: string | undefined
  readonly authTime: number
  readonly amr: readonly string[]
  readonly nonce?: string | undefined
  readonly jti: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp: number
}

/** The payload of an access token: authentik's ID token claims plus `azp`, `uid` and `scope`. */
export function accessTokenClaims(store: Store, input: AccessTokenInput): Record<string, unknown> {
  const { issuer, provider, user, scope, session, nonce } = input
  const requested = scope.split(' ')
  const scopes = new Set(
    [...attachedScopes(store, provider)].filter((one) => requested.includes(one)),
  )
  return {
    iss: issuer,
    sub: user.uid,
    aud: provider.client_id,
    exp: input.exp,
    iat: input.iat,
    auth_time: input.authTime,
    acr,
    ...(input.amr.length > 0 && { amr: input.amr }),
    ...(session !== undefined && { sid: sessionIdClaim(session) }),
    jti: input.jti,
    ...(nonce !== undefined && { nonce }),
    ...(provider.include_claims_in_id_token && scopeClaims(store, user, scopes)),
    azp: provider.client_id,
    uid: input.jti,
    scope: [...scopes].join(' '),
  }
}
