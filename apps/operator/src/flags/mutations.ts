import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * After a change to a flag: flags, their histories and explanations, and the audit log are read
 * again.
 */
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

/** The page of the removed flag leaves first, so nothing here reads that flag again. */
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
