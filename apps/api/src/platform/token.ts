import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { signatureAlgorithms } from '@atrium/core/platform/signature-algorithms'
import { hasUnsafeCharacters } from '@atrium/core/platform/text'
import { deadline, untilAborted } from '@atrium/integrations/deadline'
import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'
import { serviceSubjectPrefix } from './service-token.ts'

/** What a verified access token says. Who it is, not what they may do: that is stored data. */
export interface TokenClaims {
  /**
   * The person: `sub`, and before it the identity provider where that is not the managed one
   * (`subjectPrefixes`).
   */
  subject: string
  issuer: string
  audiences: readonly string[]
  email: string | undefined
  name: string | undefined
  /**
   * Names of the identity groups, without duplicates; undefined when the token has no such claim,
   * or comes from another identity provider than the managed one: its groups are not the groups
   * that the API makes.
   */
  groups: readonly string[] | undefined
  /**
   * `auth_time`: when the person last proved to the identity provider who they are; undefined when
   * the token does not tell.
   */
  signedInAt: Date | undefined
  /** `amr` names `mfa` (RFC 8176): the person proved a second factor in this sign-in. */
  secondFactor: boolean
  issuedAt: Date
  expiresAt: Date
}

export interface TokenVerifier {
  /**
   * Throws AppError `unauthenticated`, `token_expired`, `unexpected_issuer`, or `unavailable` when
   * no key could be had.
   */
  verify(token: string): Promise<TokenClaims>
  /**
   * The issuers whose keys could not be read so far: their tokens cannot be verified. Asks for the
   * keys that are missing.
   */
  issuersWithoutKeys(): Promise<string[]>
}

export interface TokenVerifierOptions {
  /** The accepted issuers, each with the prefix for the `sub` of its tokens (`subjectPrefixes`). */
  subjectPrefixes: ReadonlyMap<string, string>
  audiences: readonly string[]
  clock: Clock
  log: Logger
  fetch?: typeof fetch
}

const leewaySeconds = 30
const longestLifeSeconds = 24 * 3600
const futureSeconds = 5
const cacheSize = 10_000
/**
 * Longer tokens are verified each time: ten thousand of those that name thousands of groups would
 * take gigabytes.
 */
const longestRemembered = 16 * 1024
/**
 * The end of a token is the end of its signature: 64 characters of it tell tokens apart as a digest
 * would, and need none.
 */
const keyLength = 64

interface Verified {
  token: string
  claims: TokenClaims
  keySet: KeySet
  /** Of the keys that it was verified with. */
  version: number
}

/**
 * Verifies access tokens of several issuers against their published keys
 * (docs/reference/contract.md, authentication). A verified token is remembered as long as its
 * issuer published the same keys less than a minute ago, and never past its expiry: a key that is
 * withdrawn is rejected after a minute at the latest. What is remembered counts only for the very
 * same text.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { clock } = options
  const verified = new Map<string, Verified>()
  const { subjectPrefixes } = options
  const otherPrefixes = [...new Set(subjectPrefixes.values())].filter((prefix) => prefix !== '')
  const issuers = [...subjectPrefixes.keys()]
  const keySets = new Map(
    issuers.map((issuer) => [issuer, createKeySet(issuer, options, () => verified.clear())]),
  )

  /**
   * The claims with the stored person. A `sub` that reads as another provider's person identifies
   * no one.
   */
  function personOf(claims: TokenClaims): TokenClaims {
    const prefix = subjectPrefixes.get(claims.issuer) ?? ''
    if (claims.subject.startsWith(serviceSubjectPrefix)) {
      throw new AppError('unauthenticated', undefined, {
        cause: new Error('sub begins as the subject of a service token does'),
      })
    }
    if (prefix !== '') return { ...claims, subject: prefix + claims.subject, groups: undefined }
    if (otherPrefixes.some((other) => claims.subject.startsWith(other))) {
      throw new AppError('unauthenticated', undefined, {
        cause: new Error('sub begins with the name of another identity provider'),
      })
    }
    return claims
  }

  async function verifyUncached(token: string): Promise<Verified> {
    if (!/^[A-Za-z0-9._~+/=-]+$/.test(token)) throw new AppError('unauthenticated')
    const { iss } = unverified(token)
    const keySet = typeof iss === 'string' ? keySets.get(iss) : undefined
    if (!keySet || typeof iss !== 'string') throw new AppError('unexpected_issuer')
    const before = keySet.version()
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keySet.getKey, {
        issuer: iss,
        audience: [...options.audiences],
        algorithms: signatureAlgorithms,
        clockTolerance: leewaySeconds,
        currentDate: clock.now(),
        requiredClaims: ['exp', 'iat', 'sub'],
      })
      if (!isAccessTokenType(protectedHeader.typ))
        throw new AppError('unauthenticated', undefined, { cause: new Error('another type') })
      const claims = personOf(toClaims(payload, iss, clock.now()))
      // Keys that came while it was verified may be others than those it was verified with: it is
      // looked at again.
      return { token, claims, keySet, version: before }
    } catch (error) {
      if (error instanceof AppError) throw error
      if (error instanceof errors.JWTExpired)
        throw new AppError('token_expired', undefined, { cause: error })
      throw new AppError('unauthenticated', undefined, { cause: error })
    }
  }

  return {
    async verify(token) {
      const key = token.slice(-keyLength)
      const known = verified.get(key)
      if (known && known.token === token && holds(known, clock.now().getTime())) return known.claims
      const fresh = await verifyUncached(token)
      if (token.length > longestRemembered) return fresh.claims
      if (verified.size >= cacheSize) verified.delete(verified.keys().next().value ?? '')
      verified.set(key, fresh)
      return fresh.claims
    },
    async issuersWithoutKeys() {
      const reached = await Promise.all(
        [...keySets].map(async ([issuer, keySet]) => ((await keySet.reach()) ? undefined : issuer)),
      )
      return reached.filter((issuer) => issuer !== undefined)
    },
  }
}

/**
 * True for a token for the operator audience by an issuer that issues for operators. Stored data
 * decides beside it (seed 5.6).
 */
export function isOperatorToken(
  token: TokenClaims,
  tokens: { operatorAudience: string; operatorIssuers: readonly string[] },
): boolean {
  return (
    token.audiences.includes(tokens.operatorAudience) &&
    tokens.operatorIssuers.includes(token.issuer)
  )
}

/**
 * True for a token of a person who signed in with the command line. authentik names in it as
 * `auth_time` when it was issued, whenever the person signed in, and never a second factor.
 */
export function isCommandLineToken(
  token: TokenClaims,
  { commandLine }: { commandLine: { audience: string } | null },
): boolean {
  return commandLine !== null && token.audiences.includes(commandLine.audience)
}

function holds({ claims, keySet, version }: Verified, now: number): boolean {
  return (
    claims.expiresAt.getTime() > now && keySet.freshUntil() > now && keySet.version() === version
  )
}

/**
 * Tokens of other kinds are signed with the same keys for the same audience: logout tokens, proofs,
 * assertions (RFC 8725 section 3.11). authentik types access tokens `JWT`, RFC 9068 `at+jwt`.
 */
function isAccessTokenType(type: string | undefined): boolean {
  return type === undefined || /^(application\/)?(at\+)?jwt$/i.test(type)
}

function unverified(token: string): JWTPayload {
  try {
    return decodeJwt(token)
  } catch (cause) {
    throw new AppError('unauthenticated', undefined, { cause })
  }
}

function toClaims(payload: JWTPayload, issuer: string, now: Date): TokenClaims {
  const { sub, iat, exp, auth_time: authTime } = payload
  const reject = (why: string) =>
    new AppError('unauthenticated', undefined, { cause: new Error(why) })
  if (typeof sub !== 'string' || sub === '' || sub.length > 255 || hasUnsafeCharacters(sub))
    throw reject('sub is no usable text')
  if (typeof iat !== 'number' || typeof exp !== 'number') throw reject('iat or exp is no number')
  const latest = now.getTime() / 1000 + futureSeconds + leewaySeconds
  if (iat > latest) throw reject('issued in the future')
  if (exp - iat > longestLifeSeconds) throw reject('lives longer than a day')
  if (authTime !== undefined && (typeof authTime !== 'number' || authTime < 0))
    throw reject('auth_time is no number')
  if (authTime !== undefined && authTime > latest) throw reject('signed in in the future')
  // An ID token is for the app it was issued to, not for an API. authentik's carry no scope, its
  // access tokens always do.
  if (
    payload.scope === undefined &&
    (payload.nonce !== undefined || payload.at_hash !== undefined || payload.c_hash !== undefined)
  ) {
    throw reject('this is an ID token')
  }
  if (payload.events !== undefined)
    throw reject('this is a token about an event, such as a logout token')
  return {
    subject: sub,
    issuer,
    audiences: typeof payload.aud === 'string' ? [payload.aud] : (payload.aud ?? []),
    email: usableText(payload.email, 254)?.includes('@')
      ? usableText(payload.email, 254)?.toLowerCase()
      : undefined,
    name: usableText(payload.name, 200),
    groups: Array.isArray(payload.groups)
      ? [...new Set(payload.groups.filter(isGroupName))]
      : undefined,
    signedInAt: authTime === undefined ? undefined : new Date(authTime * 1000),
    secondFactor: Array.isArray(payload.amr) && payload.amr.includes('mfa'),
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date(exp * 1000),
  }
}

/** Compared exactly: a group with a similar name is another group. */
function isGroupName(group: unknown): group is string {
  return typeof group === 'string' && !hasUnsafeCharacters(group)
}

/**
 * A claim that can be stored and shown: a text without control characters; undefined for anything
 * else.
 */
function usableText(claim: unknown, longest: number): string | undefined {
  if (typeof claim !== 'string' || hasUnsafeCharacters(claim)) return undefined
  const text = claim.trim()
  return text === '' || text.length > longest ? undefined : text
}

type GetKey = ReturnType<typeof createLocalJWKSet>

interface KeySet {
  getKey: GetKey
  /** Goes up when other keys are published. */
  version(): number
  /** Until when, in milliseconds since 1970, the keys need no second look. */
  freshUntil(): number
  /** True when keys are known, however old; asks for them otherwise, at most every five seconds. */
  reach(): Promise<boolean>
}

const freshMs = 60_000
const renewMs = 40_000
const cooldownMs = 30_000
const firstKeysCooldownMs = 5_000
const fetchDeadlineMs = 5_000
/** How long a token waits for keys that are older than a minute, while there are usable ones. */
const patienceMs = 500

/**
 * The published keys of one issuer, found by OIDC discovery. Fetched on first use; renewed in the
 * background from 40 s on, so that traffic does not wait. Once they are older than a minute, as
 * after a quiet time, a token waits half a second for them: an issuer that does not respond by then
 * is not waited for again until it has. Asked for at once (at most every 30 s) when a token names
 * an unknown key. While the issuer is down or slow the last keys stay in use.
 */
function createKeySet(issuer: string, options: TokenVerifierOptions, onChange: () => void): KeySet {
  let keys: { set: JSONWebKeySet; find: GetKey; text: string } | undefined
  let version = 0
  let loadedAt = 0
  let lastAttempt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined
  let failing = false

  async function load(): Promise<void> {
    const discovery = await getJson(
      new URL(`${issuer.replace(/\/?$/, '/')}.well-known/openid-configuration`),
    )
    if (discovery.issuer !== issuer) throw new Error('the discovery document names another issuer')
    if (typeof discovery.jwks_uri !== 'string')
      throw new Error('the discovery document names no keys')
    const set = await getJson(new URL(discovery.jwks_uri))
    if (!Array.isArray(set.keys))
      throw new Error('the provider publishes no keys; it may lack a signing key')
    const text = JSON.stringify(set.keys)
    if (keys?.text !== text) {
      version++
      onChange()
    }
    const usable = { keys: set.keys } as JSONWebKeySet
    keys = { set: usable, find: createLocalJWKSet(usable), text }
    loadedAt = options.clock.now().getTime()
  }

  async function getJson(url: URL): Promise<Record<string, unknown>> {
    const response = await (options.fetch ?? fetch)(url, {
      signal: AbortSignal.timeout(fetchDeadlineMs),
      headers: { accept: 'application/json' },
    })
    if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`)
    return (await response.json()) as Record<string, unknown>
  }

  function refresh(): Promise<void> {
    lastAttempt = options.clock.now().getTime()
    loading ??= load()
      .then(
        () => {
          failing = false
        },
        (error: unknown) => {
          failing = true
          throw error
        },
      )
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  const renew = () =>
    refresh().catch((err: unknown) =>
      options.log.warn({ err, issuer }, 'failed to refresh issuer keys'),
    )

  async function getKey(...args: Parameters<GetKey>) {
    const now = options.clock.now().getTime()
    if (!keys) {
      await refresh().catch((cause: unknown) => {
        throw new AppError('unavailable', errorText('identityKeysUnavailable'), { cause })
      })
    } else {
      const age = now - loadedAt
      const renewal =
        age > renewMs && now - lastAttempt > cooldownMs ? renew() : loading?.catch(() => undefined)
      // An issuer that was down or slow a moment ago is not waited for.
      if (age > freshMs && !failing && renewal) {
        const patience = deadline(patienceMs, undefined)
        await untilAborted(renewal, patience.signal).catch(() => {
          failing = true
        })
        patience.clear()
      }
    }
    if (!keys) throw new AppError('unavailable')
    try {
      return await keys.find(...args)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      // A fetch under way may bring the key; a new one is begun only when the last is long enough
      // ago.
      if (!loading && now - lastAttempt < cooldownMs) throw error
      await renew()
      return keys.find(...args)
    }
  }
  async function reach(): Promise<boolean> {
    if (!keys && (loading || options.clock.now().getTime() - lastAttempt > firstKeysCooldownMs))
      await renew()
    return keys !== undefined
  }
  return {
    reach,
    getKey: getKey as GetKey,
    version: () => version,
    freshUntil: () => loadedAt + freshMs,
  }
}
