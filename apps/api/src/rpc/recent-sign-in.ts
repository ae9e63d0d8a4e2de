import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { isCommandLineToken } from '../platform/token.ts'
import type { Context } from './context.ts'

/**
 * Rejects a call whose token comes from a sign-in older than RECENT_SIGN_IN_SECONDS, by the token's
 * `auth_time`, which a refresh does not renew (OpenID Connect Core 1.0 section 12.2). Throws
 * AppError `recent_sign_in_required`, the challenge of RFC 9470. Accepts tokens of an issuer that
 * does not report the sign-in time. A token of the command line does not prove when the person
 * signed in, so it is rejected. `isSensitive` is called only when the sign-in is too old, because
 * it may read a whole import.
 */
export async function requireRecentSignIn(
  { services, verifyToken }: Pick<Context, 'services' | 'verifyToken'>,
  isSensitive: () => boolean = () => true,
): Promise<void> {
  const seconds = services.config.recentSignInSeconds
  if (seconds === 0) return
  const token = await verifyToken()
  const { signedInAt } = token
  const unproved = isCommandLineToken(token, services.config.tokens)
  if (
    !unproved &&
    (signedInAt === undefined ||
      services.clock.now().getTime() - signedInAt.getTime() <= seconds * 1000)
  )
    return
  if (!isSensitive()) return
  throw new AppError(
    'recent_sign_in_required',
    unproved
      ? errorText('recentSignInCommandLine')
      : errorText('recentSignIn', { seconds: durationText(seconds) }),
    {
      maxAgeSeconds: seconds,
    },
  )
}

function durationText(seconds: number): string {
  const [count, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second']
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${count} ${unit}s`
}
