import { AppError } from '@atrium/core/platform/errors'

/**
 * For the tenant's own staff: a calendar that is not connected, or unreadable because scheduling is
 * off here, is reported as such, not as a temporary failure. Throws the error in any case.
 */
export function reasonForHosts(error: unknown): never {
  const cause =
    error instanceof AppError && error.code === 'calendar_unavailable' ? error.cause : undefined
  if (
    cause instanceof AppError &&
    (cause.code === 'host_not_connected' || cause.code === 'scheduling_not_configured')
  )
    throw cause
  throw error
}
