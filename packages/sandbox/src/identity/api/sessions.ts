import { issuerOf } from '../oidc/access-tokens.ts'
import { acr, amrOf, scopeClaims } from '../oidc/claims.ts'
import { endLogin, listLogins } from '../oidc/logins.ts'
import type { LogoutNotices } from '../oidc/logout.ts'
import { isSuperuser } from '../people.ts'
import type { AccessTokenRecord, ArtifactRecord, LoginRecord, Store } from '../records.ts'
import { invalid, missing } from './errors.ts'
import { exact, keyFilter, order, paginate, search } from './lists.ts'
import { providerView } from './provider-view.ts'
import { type ApiCall, done, ok, type Resource } from './router.ts'
import { partialUser } from './views.ts'

function loginView(login: LoginRecord) {
  return {
    uuid: login.uuid,
    current: false,
    user_agent: {
      device: { brand: null, family: 'Other', model: null },
      os: { family: 'Other', major: null, minor: null, patch: null, patch_minor: null },
      user_agent: { family: 'Other', major: null, minor: null, patch: null },
      string: login.last_user_agent,
    },
    geo_ip: null,
    asn: null,
    user: login.user,
    last_ip: login.last_ip,
    last_user_agent: login.last_user_agent,
    last_used: login.last_used,
    expires: login.expires,
  }
}

function usernameOf(store: Store, pk: number): string {
  return store.records.users.find((user) => user.pk === pk)?.username ?? ''
}

function refreshTokens(store: Store): ArtifactRecord[] {
  return Object.values(store.records.artifacts).filter((one) => one.model === 'RefreshToken')
}

/** What the lists of refresh and access tokens show of one. The token itself is never shown. */
function tokenView(
  store: Store,
  token: {
    pk: number
    user: number
    provider: number
    scope: string
    expires: number
    authTime?: number
  },
) {
  const user = store.records.users.find((one) => one.pk === token.user)
  const provider = store.records.providers.find((one) => one.pk === token.provider)
  const application = store.records.applications.find((one) => one.provider === token.provider)
  const scope = token.scope.split(' ')
  const claims = user &&
    provider &&
    application && {
      iss: issuerOf(store, application, provider),
      sub: user.uid,
      aud: provider.client_id,
      acr,
      amr: amrOf(store, user),
      ...(token.authTime !== undefined && { auth_time: token.authTime }),
      ...scopeClaims(store, user, new Set(scope)),
    }
  return {
    pk: token.pk,
    provider: provider && providerView(store, provider),
    user: user && partialUser(user),
    is_expired: token.expires <= store.now(),
    expires: new Date(token.expires).toISOString(),
    scope,
    id_token: JSON.stringify(claims ?? {}, null, 4),
    revoked: false,
  }
}

function refreshTokenRow(store: Store, artifact: ArtifactRecord) {
  const { accountId, clientId, scope, authTime } = artifact.payload
  const user = store.records.users.find((one) => one.uid === accountId)
  const provider = store.records.providers.find((one) => one.client_id === clientId)
  return {
    pk: artifact.pk,
    user: user?.pk ?? 0,
    provider: provider?.pk ?? 0,
    scope: String(scope ?? ''),
    expires: artifact.expires ?? store.now(),
    ...(typeof authTime === 'number' && { authTime }),
  }
}

function accessTokenRow({ pk, user, provider, scope, exp }: AccessTokenRecord) {
  return { pk, user, provider, scope, expires: exp * 1000 }
}

type TokenRow = ReturnType<typeof accessTokenRow>

/**
 * Superusers see everyone's tokens, other users their own: without an error, whatever rights they
 * have.
 */
function maySee({ store, caller }: ApiCall, token: TokenRow): boolean {
  return token.user === caller.pk || isSuperuser(store, caller)
}

function listTokens(call: ApiCall, tokens: readonly TokenRow[]) {
  const { store, query } = call
  const user = keyFilter(query, 'user', (pk) => store.records.users.some((one) => one.pk === pk))
  const provider = keyFilter(query, 'provider', (pk) =>
    store.records.providers.some((one) => one.pk === pk),
  )
  let rows = tokens.filter(
    (token) => maySee(call, token) && (user === undefined || token.user === user),
  )
  rows = rows.filter((token) => provider === undefined || token.provider === provider)
  return paginate(
    query,
    order(query, rows, { expires: (token) => token.expires, user: (token) => token.user }),
    (token) => tokenView(store, token),
  )
}

/** Login sessions and OAuth tokens. */
export function sessionResources(notices: LogoutNotices): readonly Resource[] {
  return [
    {
      path: 'core/authenticated_sessions/',
      // The declared filters are these three; `?user=` is not among them and returns everyone's
      // sessions.
      GET({ store, query }) {
        let rows = exact(query, listLogins(store), 'user__username', (login) =>
          usernameOf(store, login.user),
        )
        rows = exact(query, rows, 'session__last_ip', (login) => login.last_ip)
        rows = exact(query, rows, 'session__last_user_agent', (login) => login.last_user_agent)
        rows = search(query, rows, (login) => [
          usernameOf(store, login.user),
          login.last_ip,
          login.last_user_agent,
        ])
        rows = order(query, rows, {
          user__username: (login) => usernameOf(store, login.user),
          expires: (login) => login.expires,
          session__expires: (login) => login.expires,
          last_used: (login) => login.last_used,
        })
        return paginate(query, rows, loginView)
      },
    },
    {
      path: 'core/authenticated_sessions/bulk_delete/',
      DELETE({ store, query }) {
        const users = query.getAll('user_pks').map(Number)
        if (users.length === 0) throw invalid({ user_pks: ['This field is required.'] })
        const ended = listLogins(store).filter((login) => users.includes(login.user))
        for (const login of ended) endLogin(store, notices, login)
        return ok({ deleted: ended.length })
      },
    },
    {
      path: 'core/authenticated_sessions/:uuid/',
      GET: (call) => ok(loginView(findLogin(call))),
      DELETE(call) {
        endLogin(call.store, notices, findLogin(call))
        return done
      },
    },
    {
      path: 'oauth2/refresh_tokens/',
      GET: (call) =>
        listTokens(
          call,
          refreshTokens(call.store).map((token) => refreshTokenRow(call.store, token)),
        ),
    },
    {
      path: 'oauth2/refresh_tokens/:pk/',
      GET: (call) => ok(tokenView(call.store, refreshTokenRow(call.store, findRefreshToken(call)))),
      DELETE(call) {
        const { model, id } = findRefreshToken(call)
        delete call.store.records.artifacts[`${model}:${id}`]
        return done
      },
    },
    {
      path: 'oauth2/access_tokens/',
      GET: (call) => listTokens(call, call.store.records.accessTokens.map(accessTokenRow)),
    },
    {
      path: 'oauth2/access_tokens/:pk/',
      GET: (call) => ok(tokenView(call.store, accessTokenRow(findAccessToken(call)))),
      DELETE(call) {
        const token = findAccessToken(call)
        call.store.records.accessTokens = call.store.records.accessTokens.filter(
          (one) => one !== token,
        )
        return done
      },
    },
  ]
}

function findLogin({ store, params }: ApiCall): LoginRecord {
  const login = listLogins(store).find((one) => one.uuid === params.uuid)
  if (!login) throw missing('AuthenticatedSession')
  return login
}

function findRefreshToken(call: ApiCall): ArtifactRecord {
  const { store, params } = call
  const token = refreshTokens(store).find((one) => String(one.pk) === params.pk)
  if (!token || !maySee(call, refreshTokenRow(store, token))) throw missing('RefreshToken')
  return token
}

function findAccessToken(call: ApiCall): AccessTokenRecord {
  const token = call.store.records.accessTokens.find((one) => String(one.pk) === call.params.pk)
  if (!token || !maySee(call, accessTokenRow(token))) throw missing('AccessToken')
  return token
}
