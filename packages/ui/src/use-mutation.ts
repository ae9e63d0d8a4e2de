import { type UseMutationOptions, useMutation as useTanStackMutation } from '@tanstack/react-query'
import { useCallback } from 'react'

/** What the one who asks for a change does when it is known how it went. */
export interface Outcome<Data, Failure> {
  onSuccess?: (data: Data) => unknown
  onError?: (error: Failure) => unknown
  onSettled?: () => unknown
}

/**
 * `useMutation` of TanStack Query, but what is given to `mutate` is told the outcome in any case.
 * There it is not once the part of the page that asked is gone, and many go by their own success: a
 * form that is made again when the row that it shows has a new version, the menu of a row that is
 * deleted. The person would be left without a word.
 */
export function useMutation<Data = unknown, Failure = Error, Variables = void, Kept = unknown>(
  options: UseMutationOptions<Data, Failure, Variables, Kept>,
) {
  const mutation = useTanStackMutation(options)
  const { mutateAsync } = mutation
  const mutate = useCallback(
    (variables: Variables, outcome?: Outcome<Data, Failure>) =>
      tellOutcome(mutateAsync(variables), outcome),
    [mutateAsync],
  )
  return { ...mutation, mutate }
}

/**
 * Nobody waits for it, and a failure is no unhandled rejection: the mutation keeps it as its
 * `error`.
 */
export function tellOutcome<Data, Failure>(
  change: Promise<Data>,
  { onSuccess, onError, onSettled }: Outcome<Data, Failure> = {},
): void {
  change
    .then(
      (data) => onSuccess?.(data),
      (error: Failure) => onError?.(error),
    )
    .finally(() => onSettled?.())
}
