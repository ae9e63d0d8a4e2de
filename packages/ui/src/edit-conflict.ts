import type { QueryClient } from '@tanstack/react-query'
import { problemOf } from './problem.ts'

/**
 * Reads what is on the page again when a save came to nothing because somebody else had saved
 * meanwhile. The form that was rejected then follows its record (`useFollowRecord`) and shows both
 * values, and its next save names the new version.
 */
export function readAgainOnConflict(queryClient: QueryClient, error: unknown): void {
  if (problemOf(error).code === 'edit_conflict') void queryClient.invalidateQueries()
}
