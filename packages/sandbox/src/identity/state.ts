import type { IdentityRecords } from './records.ts'

const mask = '***'

/** The records with everything masked that would let a reader act as another person. */
export function maskedState(records: IdentityRecords) {
  return {
    ...records,
    secret: mask,
    cookieKey: mask,
    users: records.users.map((user) => ({
      ...user,
      password: user.password === null ? null : mask,
    })),
    providers: records.providers.map((provider) => ({ ...provider, client_secret: mask })),
    logins: records.logins.map((login) => ({ ...login, uid: mask })),
    accessTokens: records.accessTokens.map((token) => ({
      ...token,
      session: token.session === null ? null : mask,
    })),
    // The id of a code, session or refresh token is the token itself.
    artifacts: Object.values(records.artifacts).map(({ pk, model, expires, payload }) => ({
      pk,
      model,
      expires,
      accountId: payload.accountId,
      clientId: payload.clientId,
      scope: payload.scope,
    })),
    recoveryTokens: Object.fromEntries(
      Object.entries(records.recoveryTokens).map(([pk, token]) => [pk, { ...token, key: mask }]),
    ),
    tokens: records.tokens.map((token) => ({ ...token, key: mask })),
    signingKeys: records.signingKeys.map(({ kid, created }) => ({ kid, created })),
  }
}
