import { AppError } from '@atrium/core/errors'
import type { Context } from './context.ts'

/**
 * Refuses a call whose token comes of a sign-in that is older than RECENT_SIGN_IN_SECONDS, by the token's `auth_time`, which a refresh
 * does not renew (OpenID Connect Core 1.0 section 12.2). Throws AppError `recent_sign_in_required`, the challenge of RFC 9470. An issuer
 * that does not tell when somebody signed in leaves it to itself whom it asks again: its tokens pass. `isSensitive`, which may have to read a
 * whole import, is asked only where the sign-in is too old.
 */
export async function requireRecentSignIn(
  { house, verifyToken }: Pick<Context, 'house' | 'verifyToken'>,
  isSensitive: () => boolean,
): Promise<void> {
  const seconds = house.config.recentSignInSeconds
  if (seconds === 0) return
  const { signedInAt } = await verifyToken()
  if (signedInAt === undefined || house.clock.now().getTime() - signedInAt.getTime() <= seconds * 1000) return
  if (!isSensitive()) return
  throw new AppError('recent_sign_in_required', `This needs a sign-in that is not older than ${inWords(seconds)}.`, {
    maxAgeSeconds: seconds,
  })
}

function inWords(seconds: number): string {
  const [count, unit] =
    seconds % 3_600 === 0 ? [seconds / 3_600, 'hour'] : seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second']
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${count} ${unit}s`
}
