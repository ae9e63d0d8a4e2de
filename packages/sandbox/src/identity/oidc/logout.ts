import { SignJWT } from 'jose'
import { isoNow, type LoginRecord, newUuid, type Store, sessionIdClaim } from '../records.ts'
import { privateKey, signingKeys } from './keys.ts'

/** How long an application may take to respond, in milliseconds. */
const deadline = 2_500

/** A back-channel logout that was sent to an application, for `GET /state`. */
export interface LogoutNotice {
  readonly at: string
  readonly uri: string
  readonly sub: string
  /** The status of the response; a sentence when there was none. */
  readonly outcome: number | string
}

export interface LogoutNotices {
  /**
   * Notifies the application of this provider that the login has ended (OpenID Connect Back-Channel
   * Logout 1.0). Does not wait for it.
   */
  send(provider: number, login: LoginRecord): void
  /** The last hundred, oldest first. */
  list(): readonly LogoutNotice[]
  clear(): void
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
}

export function createLogoutNotices(store: Store): LogoutNotices {
  let notices: LogoutNotice[] = []
  const underWay = new Set<Promise<void>>()

  async function deliver(uri: string, sub: string, token: () => Promise<string>): Promise<void> {
    const outcome = await token()
      .then((logoutToken) =>
        fetch(uri, {
          method: 'POST',
          body: new URLSearchParams({ logout_token: logoutToken }),
          redirect: 'manual',
          signal: AbortSignal.timeout(deadline),
        }),
      )
      .then(
        (response) => response.body?.cancel().then(() => response.status) ?? response.status,
        (error: unknown) =>
          `not delivered: ${error instanceof Error ? error.message : String(error)}`,
      )
    notices = [...notices, { at: isoNow(store), uri, sub, outcome }].slice(-100)
  }

  return {
    send(providerPk, login) {
      const provider = store.records.providers.find((one) => one.pk === providerPk)
      const application = store.records.applications.find((one) => one.provider === providerPk)
      const user = store.records.users.find((one) => one.pk === login.user)
      if (
        !provider?.logout_uri ||
        provider.logout_method !== 'backchannel' ||
        !application ||
        !user
      )
        return
      const iat = Math.floor(store.now() / 1000)
      const claims = {
        iss: `${store.origin()}/application/o/${application.slug}/`,
        sub: user.uid,
        aud: provider.client_id,
        iat,
        exp: iat + 120,
        jti: newUuid(),
        sid: sessionIdClaim(login.uid),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      }
      const key = provider.signing_key ? signingKeys(store)[0] : undefined
      const task = deliver(provider.logout_uri, user.uid, async () =>
        new SignJWT(claims)
          .setProtectedHeader({
            alg: key ? 'RS256' : 'HS256',
            typ: 'logout+jwt',
            ...(key && { kid: key.kid }),
          })
          .sign(key ? privateKey(key) : Buffer.from(provider.client_secret)),
      ).finally(() => underWay.delete(task))
      underWay.add(task)
    },
    list: () => notices,
    clear() {
      notices = []
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
