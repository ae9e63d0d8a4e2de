import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@atrium/client'
import * as openid from 'openid-client'
import { SignInError } from './failure.ts'
import {
  checkAddress,
  type Environment,
  readStored,
  type SignIn,
  writeStored,
} from './profile-file.ts'

const scope = 'openid email profile offline_access'
/** A token that ends so soon is renewed first. */
const leewayMs = 30_000
/** How long another process, which renews the same sign-in, may take to store it. */
const patienceMs = 2_000
const signInAgain = 'The sign-in has ended. Run "atrium login" again.'

/**
 * Signs a person in by device code (RFC 8628) at the identity provider that the API names. `tell`
 * gets what the person has to do. Throws ApiError where the API has no such sign-in, and
 * SignInError when the person declines or takes too long.
 */
export async function signInWithBrowser(
  url: string,
  tell: (text: string) => void,
): Promise<SignIn> {
  const { issuer, clientId } = await readProvider(url)
  const provider = await discover({ issuer, clientId })
  const started = await openid
    .initiateDeviceAuthorization(provider, { scope })
    .catch((error: unknown) => {
      if (isRejection(error, 'slow_down'))
        throw new SignInError('Too many sign-ins began at this address. Try again in an hour.')
      throw error
    })
  const { verification_uri, verification_uri_complete, user_code, expires_in } = started
  // The address is shown: it must not be one that a terminal or a browser takes for something else.
  const link = checkAddress(verification_uri_complete ?? verification_uri)
  tell(`Open ${link}\nand allow the command line. The code is ${user_code}.`)
  tell(`Waiting, at most ${Math.round(expires_in / 60)} minutes …`)
  const tokens = await openid
    .pollDeviceAuthorizationGrant(provider, started, undefined, {
      signal: AbortSignal.timeout(expires_in * 1_000),
    })
    .catch((error: unknown) => {
      const ended = ['access_denied', 'expired_token', 'invalid_grant']
      if (ended.some((code) => isRejection(error, code)) || isTimeout(error))
        throw new SignInError('The sign-in was not allowed in time. Run "atrium login" again.')
      throw error
    })
  return toSignIn({ issuer, clientId }, tokens)
}

/** The access token of a profile, renewed where it ends soon. Throws SignInError. */
export async function accessTokenOf(env: Environment, name: string): Promise<string> {
  const signIn = await readSignIn(env, name)
  if (signIn.expiresAt - leewayMs > Date.now()) return signIn.accessToken
  const provider = await discover(signIn)
  try {
    const tokens = await openid.refreshTokenGrant(provider, signIn.refreshToken)
    const renewed = toSignIn(signIn, tokens)
    await storeSignIn(env, name, renewed)
    return renewed.accessToken
  } catch (error) {
    if (!isRejection(error, 'invalid_grant')) throw error
    return await renewedByOther(env, name, signIn)
  }
}

/** A refresh token works once. Another process may have used it a moment ago. */
async function renewedByOther(env: Environment, name: string, used: SignIn): Promise<string> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) {
    const found = await readSignIn(env, name)
    if (found.refreshToken !== used.refreshToken) return found.accessToken
  }
  throw new SignInError(signInAgain)
}

/** Revokes the refresh token. False when the identity provider could not be reached. */
export async function endSignIn(signIn: SignIn): Promise<boolean> {
  try {
    await openid.tokenRevocation(await discover(signIn), signIn.refreshToken)
    return true
  } catch {
    return false
  }
}

async function readProvider(url: string): Promise<Pick<SignIn, 'issuer' | 'clientId'>> {
  const response = await fetch(`${url}/sign-in/command-line`)
  const body = (await response.json().catch(() => undefined)) as
    | { issuer?: unknown; clientId?: unknown }
    | undefined
  const { issuer, clientId } = body ?? {}
  if (!response.ok || typeof issuer !== 'string' || typeof clientId !== 'string')
    throw new ApiError(response, body)
  return { issuer, clientId }
}

function discover({ issuer, clientId }: Pick<SignIn, 'issuer' | 'clientId'>) {
  const address = new URL(checkAddress(issuer))
  // openid-client requires the issuer as it is written, with its slash.
  return openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
    ...(address.protocol === 'http:' && { execute: [openid.allowInsecureRequests] }),
  })
}

function toSignIn(
  { issuer, clientId }: Pick<SignIn, 'issuer' | 'clientId'>,
  tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
): SignIn {
  const { access_token: accessToken, refresh_token: refreshToken } = tokens
  if (refreshToken === undefined)
    throw new SignInError('The identity provider gave no refresh token.')
  const expiresAt = Date.now() + (tokens.expiresIn() ?? 0) * 1_000
  return { issuer, clientId, accessToken, expiresAt, refreshToken }
}

async function readSignIn(env: Environment, name: string): Promise<SignIn> {
  const { profiles } = await readStored(env)
  const signIn = profiles[name]?.signIn
  if (!signIn) throw new SignInError(signInAgain)
  return signIn
}

async function storeSignIn(env: Environment, name: string, signIn: SignIn): Promise<void> {
  const stored = await readStored(env)
  const profile = stored.profiles[name]
  if (!profile) throw new SignInError(signInAgain)
  await writeStored(env, {
    ...stored,
    profiles: { ...stored.profiles, [name]: { ...profile, signIn } },
  })
}

const isRejection = (error: unknown, code: string) =>
  error instanceof openid.ResponseBodyError && error.error === code

const isTimeout = (error: unknown) =>
  error instanceof Error &&
  (error.name === 'TimeoutError' || (error.cause as Error | undefined)?.name === 'TimeoutError')
