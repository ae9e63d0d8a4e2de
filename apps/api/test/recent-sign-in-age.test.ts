import type { AppError } from '@atrium/core/platform/errors'
import { describe, expect, it, vi } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import type { TokenClaims } from '../src/platform/token.ts'
import type { Context } from '../src/rpc/context.ts'
import { requireRecentSignIn } from '../src/rpc/recent-sign-in.ts'

const now = new Date('2026-03-01T12:00:00Z')

/** `passes`, or the rejection. `age`: milliseconds since the sign-in; undefined: not reported. */
async function outcome(
  seconds: number,
  age: number | undefined,
  isSensitive?: () => boolean,
): Promise<string> {
  const config = { recentSignInSeconds: seconds, tokens: { commandLine: null } }
  const services = { config, clock: { now: () => now } }
  const signedInAt = age === undefined ? undefined : new Date(now.getTime() - age)
  const context = { services, verifyToken: async () => ({ signedInAt }) as TokenClaims }
  return requireRecentSignIn(context as unknown as Context, isSensitive).then(
    () => 'passes',
    (error: AppError) => `${error.code} ${error.maxAgeSeconds}: ${error.message}`,
  )
}

const rejected = (seconds: number, words: string) =>
  `recent_sign_in_required ${seconds}: This requires a sign-in that is at most ${words} old.`

describe('a sensitive call', () => {
  it('passes up to the very age that is allowed, and is rejected after it', async () => {
    expect(await outcome(60, 60_000)).toBe('passes')
    expect(await outcome(60, 60_001)).toBe(rejected(60, 'a minute'))
  })

  it.each([
    [60, 'a minute'],
    [90, '90 seconds'],
    [900, '15 minutes'],
    [3_600, 'an hour'],
    [3_660, '61 minutes'],
    [7_200, '2 hours'],
  ])('is told how old a sign-in may be, with %i seconds allowed', async (seconds, words) => {
    expect(await outcome(seconds, 1e9)).toBe(rejected(seconds, words))
  })

  it('passes where any sign-in is recent enough, or its time is not reported', async () => {
    expect(await outcome(0, 1e12)).toBe('passes')
    expect(await outcome(60, undefined)).toBe('passes')
  })
})

describe('a call that may be sensitive', () => {
  it('is looked at only after an old sign-in, and rejected only if it is', async () => {
    const isSensitive = vi.fn(() => false)
    expect(await outcome(60, 60_000, isSensitive)).toBe('passes')
    expect(isSensitive).not.toHaveBeenCalled()
    expect(await outcome(60, 60_001, isSensitive)).toBe('passes')
    expect(await outcome(60, 60_001, () => true)).toBe(rejected(60, 'a minute'))
  })
})

describe('RECENT_SIGN_IN_SECONDS', () => {
  it('is an hour unless told otherwise, and nothing that a second sign-in could not keep up with', () => {
    const read = (value?: string) =>
      readConfig({
        DATABASE_URL: 'postgres://localhost/atrium',
        IDP_ISSUER: 'https://idp.test/',
        IDP_AUDIENCE: 'atrium',
        ...(value !== undefined && { RECENT_SIGN_IN_SECONDS: value }),
      }).recentSignInSeconds
    expect([read(), read('0'), read('60'), read('86400')]).toEqual([3_600, 0, 60, 86_400])
    for (const value of ['59', '-1', '86401', '1.5', 'an hour'])
      expect(() => read(value)).toThrow('RECENT_SIGN_IN_SECONDS')
  })
})
