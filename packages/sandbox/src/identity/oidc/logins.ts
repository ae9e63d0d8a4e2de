import { isoNow, type LoginRecord, newUuid, type Store, type UserRecord } from '../records.ts'
import { removeArtifacts } from './adapter.ts'
import type { LogoutNotices } from './logout.ts'

/** Length of a login session, in seconds. */
export const sessionSeconds = 14 * 86_400

/** Logins that have not ended or expired, oldest first. */
export function listLogins(store: Store): LoginRecord[] {
  const now = isoNow(store)
  return store.records.logins.filter((login) => login.expires > now)
}

/** Notes that a browser is signed in, or is still there. */
export function touchLogin(
  store: Store,
  seen: {
    uid: string
    subject: string
    authTime: number
    expires: number
    ip: string
    userAgent: string
  },
): void {
  const user = store.records.users.find((one) => one.uid === seen.subject)
  if (!user) return
  const expires = new Date(seen.expires).toISOString()
  const login = store.records.logins.find((one) => one.uid === seen.uid)
  if (login && login.user === user.pk) {
    Object.assign(login, { expires, last_used: isoNow(store), authTime: seen.authTime })
    return
  }
  store.records.logins = listLogins(store)
  store.records.logins.push({
    uuid: newUuid(),
    uid: seen.uid,
    user: user.pk,
    authTime: seen.authTime,
    expires,
    last_used: isoNow(store),
    last_ip: seen.ip,
    last_user_agent: seen.userAgent,
  })
}

/**
 * The login of a person for whom the control API makes tokens: found again, so that a thousand
 * tokens are one session.
 */
export function loginForTokens(store: Store, user: UserRecord): LoginRecord {
  const found = listLogins(store).find(
    (login) => login.user === user.pk && login.madeFor === 'tokens',
  )
  if (found) return found
  const login: LoginRecord = {
    uuid: newUuid(),
    uid: newUuid(),
    user: user.pk,
    authTime: Math.floor(store.now() / 1000),
    expires: new Date(store.now() + sessionSeconds * 1000).toISOString(),
    last_used: isoNow(store),
    last_ip: '127.0.0.1',
    last_user_agent: 'sandbox control API',
    madeFor: 'tokens',
  }
  store.records.logins.push(login)
  return login
}

/**
 * Moves the sign-ins of a person to another moment, with the refresh tokens that came of them;
 * returns how many logins there are.
 */
export function moveSignIns(store: Store, user: UserRecord, signedInAt: Date): number {
  const authTime = Math.floor(signedInAt.getTime() / 1000)
  const logins = listLogins(store).filter((login) => login.user === user.pk)
  for (const login of logins) login.authTime = authTime
  for (const { model, payload } of Object.values(store.records.artifacts)) {
    if (payload.accountId !== user.uid) continue
    if (model === 'Session') payload.loginTs = authTime
    if (model === 'RefreshToken' || model === 'AuthorizationCode') payload.authTime = authTime
  }
  store.changed()
  return logins.length
}

/**
 * Ends a login: the browser is signed out, its access tokens no longer open userinfo, and each
 * application that holds one of them gets a back-channel logout. Refresh tokens stay, as in
 * authentik.
 */
export function endLogin(store: Store, notices: LogoutNotices, login: LoginRecord): void {
  const { records } = store
  const tokens = records.accessTokens.filter((token) => token.session === login.uid)
  const live = tokens.filter((token) => token.exp * 1000 > store.now())
  for (const provider of new Set(live.map((token) => token.provider))) notices.send(provider, login)
  records.accessTokens = records.accessTokens.filter((token) => token.session !== login.uid)
  records.logins = records.logins.filter((one) => one !== login)
  removeArtifacts(store, (one) => one.model === 'Session' && one.payload.uid === login.uid)
}

/** Ends every login of the user. */
export function endLoginsOf(store: Store, notices: LogoutNotices, user: UserRecord): void {
  for (const login of store.records.logins.filter((one) => one.user === user.pk))
    endLogin(store, notices, login)
}

/**
 * Takes every code, access and refresh token of the user away: what authentik does when a user
 * turns inactive.
 */
export function revokeTokensOf(store: Store, user: UserRecord): void {
  store.records.accessTokens = store.records.accessTokens.filter((token) => token.user !== user.pk)
  removeArtifacts(store, (one) => one.model !== 'Session' && one.payload.accountId === user.uid)
}
