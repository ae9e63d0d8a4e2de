import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { MailServer } from '@atrium/integrations/mail/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'

/** How long one change in the mail server may take, its retries included. */
export const mailDeadlineMs = 10_000

/** The mail server. Throws AppError `integration_off` where this installation has none. */
export function mailServerOf(services: Services): MailServer {
  const { mail } = services.systems
  if (!mail || !services.config.mailProvisioning)
    throw new AppError('integration_off', errorText('noMailServer'))
  return mail
}

/**
 * What to tell of a call that failed: 502 with the failure's own sentence. Anything but a failure
 * of the system is thrown on.
 */
export function mailFailure(error: unknown, signal: AbortSignal): AppError {
  if (error instanceof UpstreamError)
    return new AppError('upstream_failed', error.message, { cause: error })
  if (signal.aborted) {
    return new AppError(
      'upstream_failed',
      errorText('mailServerTimeoutSeconds', { mailDeadlineMs: mailDeadlineMs / 1000 }),
      { cause: error },
    )
  }
  throw error
}
