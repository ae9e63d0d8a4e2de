import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Refetches flags, their histories and explanations, and the audit log after a change. */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.flags.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

export function useCreateFlag() {
  const stale = useStale()
  return useMutation(useTRPC().flags.create.mutationOptions({ onSuccess: stale }))
}

export function useUpdateFlag() {
  const stale = useStale()
  return useMutation(useTRPC().flags.update.mutationOptions({ onSuccess: stale }))
}

/** Refetches only lists and the audit log: the page of the removed flag is about to close. */
export function useRemoveFlag() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.flags.remove.mutationOptions({
      onSuccess: () =>
        Promise.all([
          queryClient.invalidateQueries(trpc.flags.list.pathFilter()),
          queryClient.invalidateQueries(trpc.audit.pathFilter()),
        ]),
    }),
  )
}
