import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** After a change of a price: the catalog and the audit log are read again. */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.prices.pathFilter()),
      queryClient.invalidateQueries(trpc.priceMigrations.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

export function useCreatePrice() {
  const stale = useStale()
  return useMutation(useTRPC().prices.create.mutationOptions({ onSuccess: stale }))
}

export function useUpdatePrice() {
  const stale = useStale()
  return useMutation(useTRPC().prices.update.mutationOptions({ onSuccess: stale }))
}

export function useActivatePrice() {
  const stale = useStale()
  return useMutation(useTRPC().prices.activate.mutationOptions({ onSuccess: stale }))
}

export function useArchivePrice() {
  const stale = useStale()
  return useMutation(useTRPC().prices.archive.mutationOptions({ onSuccess: stale }))
}

/** Invalidates the list alone: the page of the deleted price must not request it again. */
export function useDeletePrice() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.prices.remove.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.prices.list.pathFilter()),
    }),
  )
}

export function usePriceMigration() {
  const { priceMigrations } = useTRPC()
  const onSettled = useStale()
  return {
    start: useMutation(priceMigrations.start.mutationOptions({ onSettled })),
    stop: useMutation(priceMigrations.stop.mutationOptions({ onSettled })),
    stopSubscriber: useMutation(priceMigrations.stopSubscriber.mutationOptions({ onSettled })),
  }
}
