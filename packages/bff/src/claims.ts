import { decodeJwt, type JWTPayload } from 'jose'
import type { StoredTokens } from './sessions.ts'

/**
 * The claims of a token of ours. Not verified: it came directly from the provider and has never
 * left the server.
 */
export function readClaims(token: string | undefined): JWTPayload {
  try {
    return token === undefined ? {} : decodeJwt(token)
  } catch {
    // An access token is opaque to its client (RFC 6749 section 1.4); without claims there is only
    // less to show.
    return {}
  }
}

/**
 * Group names without duplicates: two scope mappings that give the same list make authentik name
 * every group twice.
 */
export function groupsOf(claims: JWTPayload): string[] {
  return Array.isArray(claims.groups)
    ? [...new Set(claims.groups.filter((group) => typeof group === 'string'))]
    : []
}

/** `auth_time` of the access token, by which the API judges how recent a sign-in is. */
export function signedInAtOf(tokens: StoredTokens): string | null {
  const { auth_time: seconds } = readClaims(tokens.access)
  return typeof seconds === 'number' && Math.abs(seconds) < 1e11
    ? new Date(seconds * 1000).toISOString()
    : null
}

/** Whether `amr` of the access token names a second factor, by which the API judges a sign-in. */
export function secondFactorOf(tokens: StoredTokens): boolean {
  const { amr } = readClaims(tokens.access)
  return Array.isArray(amr) && amr.includes('mfa')
}

/** The name to greet the person by, from the ID token. */
export function nameOf(tokens: StoredTokens): string | null {
  const { name } = readClaims(tokens.id)
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null
}
