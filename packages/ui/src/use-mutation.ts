import { type UseMutationOptions, useMutation as useTanStackMutation } from '@tanstack/react-query'
import { useCallback } from 'react'

/** What the one who asks for a change does when it is known how it went. */
export interface Outcome<Data, Failure> {
  onSuccess?: (data: Data) => unknown
  onError?: (error: Failure) => unknown
  onSettled?: () => unknown
}

/**
 * `useMutation` of TanStack Query whose callbacks given to `mutate` always run. TanStack Query
 * drops them once the calling component is unmounted, which often happens by their own success: a
 * form that is remounted when its row has a new version, the menu of a deleted row. The person
 * would get no message.
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

/** Not awaited, and a failure is no unhandled rejection: the mutation keeps it as its `error`. */
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
