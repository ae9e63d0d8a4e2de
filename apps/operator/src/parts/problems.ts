import { problemOf } from '@atrium/ui/problem'

/** True when the requested record does not exist, or its id in the address is not a UUID. */
export function isMissing(error: unknown): boolean {
  const { code } = problemOf(error)
  return code === 'not_found' || code === 'invalid_input'
}
