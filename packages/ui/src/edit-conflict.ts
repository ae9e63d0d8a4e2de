import type { QueryClient } from '@tanstack/react-query'
import { problemOf } from './problem.ts'

/**
 * Reloads the page's data when a save was rejected because of another person's change. The form
 * then follows its record (`useFollowRecord`) and shows both values, and its next save names the
 * new version.
 */
export function readAgainOnConflict(queryClient: QueryClient, error: unknown): void {
  if (problemOf(error).code === 'edit_conflict') void queryClient.invalidateQueries()
}
