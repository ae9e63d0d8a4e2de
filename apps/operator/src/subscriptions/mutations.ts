import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * After a change of a subscription: subscriptions, prices (they count theirs), tenants (they
 * follow) and the audit log are read again.
 */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const filters = [
    trpc.subscriptions.pathFilter(),
    trpc.prices.pathFilter(),
    trpc.tenants.pathFilter(),
    trpc.audit.pathFilter(),
  ]
  return () => Promise.all(filters.map((filter) => queryClient.invalidateQueries(filter)))
}

export function useCreateSubscription() {
  const stale = useStale()
  return useMutation(useTRPC().subscriptions.create.mutationOptions({ onSuccess: stale }))
}

export function useUpdateSubscription() {
  const stale = useStale()
  return useMutation(useTRPC().subscriptions.update.mutationOptions({ onSuccess: stale }))
}

export function useEndSubscription() {
  const stale = useStale()
  return useMutation(useTRPC().subscriptions.remove.mutationOptions({ onSuccess: stale }))
}
