import { problemOf } from '@atrium/ui/problem'

/**
 * True when the record that was asked for is not there, or its address cannot name one (an id that
 * is no UUID).
 */
export function isMissing(error: unknown): boolean {
  const { code } = problemOf(error)
  return code === 'not_found' || code === 'invalid_input'
}
