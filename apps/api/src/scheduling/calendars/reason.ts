import { AppError } from '@atrium/core/platform/errors'

/**
 * For the tenant's own people: a calendar that could not be read because it is not connected, or
 * because scheduling is off here, is told as that, and not as something that passes. Throws the
 * error in any case.
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
