import { signatureAlgorithms } from '@atrium/core/platform/signature-algorithms'
import type { EndedLogin } from '@atrium/db/users/web-sessions'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { IdentityProviderUnavailable } from './client.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const leewaySeconds = 30
const longestAgeSeconds = 300

/** A logout token that must not be acted on. */
export class InvalidLogoutToken extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.name = 'InvalidLogoutToken'
  }
}

export interface VerifiedLogout {
  /** Unique per token; the caller rejects one that was seen before. */
  tokenId: string
  login: EndedLogin
}

export interface LogoutTokenOptions {
  issuer: string
  clientId: string
  keysUrl: () => Promise<URL>
  now: () => Date
}

/**
 * Verifies logout tokens of one issuer (OpenID Connect Back-Channel Logout 1.0 section 2.6):
 * signature, issuer, audience, time, the logout event, no nonce, a session or a subject. Throws
 * InvalidLogoutToken, or IdentityProviderUnavailable when the keys cannot be had.
 */
export function createLogoutTokenVerifier(
  options: LogoutTokenOptions,
): (token: string) => Promise<VerifiedLogout> {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined
  return async (token) => {
    keys ??= createRemoteJWKSet(await options.keysUrl(), { timeoutDuration: 5_000 })
    const verified = await jwtVerify(token, keys, {
      issuer: options.issuer,
      audience: options.clientId,
      algorithms: signatureAlgorithms,
      clockTolerance: leewaySeconds,
      currentDate: options.now(),
      // `exp` is verified where it is present: not every release of authentik writes it, and the
      // age of `iat` bounds the token as well.
      maxTokenAge: longestAgeSeconds,
      requiredClaims: ['iat', 'jti', 'events'],
    }).catch((error: unknown) => {
      throw classified(error)
    })
    const { payload, protectedHeader } = verified
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
    if (type !== undefined && type !== 'logout+jwt' && type !== 'jwt')
      throw new InvalidLogoutToken('It is a token of another type.')
    if (payload.nonce !== undefined)
      throw new InvalidLogoutToken('It has a nonce, so it may be an ID token.')
    if (!isObject(payload.events) || !isObject(payload.events[logoutEvent]))
      throw new InvalidLogoutToken('It does not name the logout event.')
    if (typeof payload.jti !== 'string' || payload.jti === '')
      throw new InvalidLogoutToken('It has no usable id.')
    return { tokenId: payload.jti, login: toLogin(payload.sid, payload.sub) }
  }
}

function toLogin(sid: unknown, sub: unknown): EndedLogin {
  if (sid !== undefined && (typeof sid !== 'string' || sid === ''))
    throw new InvalidLogoutToken('Its session is no usable text.')
  if (sub !== undefined && (typeof sub !== 'string' || sub === ''))
    throw new InvalidLogoutToken('Its subject is no usable text.')
  if (typeof sid === 'string')
    return { idpSessionId: sid, ...(typeof sub === 'string' && { subject: sub }) }
  if (typeof sub === 'string') return { subject: sub }
  throw new InvalidLogoutToken('It names neither a session nor a subject.')
}

function classified(error: unknown): Error {
  const unreadable =
    error instanceof errors.JWKSTimeout ||
    (error instanceof TypeError && error.message === 'fetch failed') ||
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  return unreadable
    ? new IdentityProviderUnavailable(error)
    : new InvalidLogoutToken('It does not verify.', error)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
