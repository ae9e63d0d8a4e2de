import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Everything that a request, a decision or an end may have changed is read again. */
function useGrantsChanged(): () => void {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    for (const filter of [trpc.accessGrants.pathFilter(), trpc.tenants.pathFilter()])
      void queryClient.invalidateQueries(filter)
  }
}

export function useAskForAccess() {
  const changed = useGrantsChanged()
  return useMutation(useTRPC().accessGrants.ask.mutationOptions({ onSuccess: changed }))
}

export function useApproveGrant() {
  const changed = useGrantsChanged()
  return useMutation(useTRPC().accessGrants.approve.mutationOptions({ onSettled: changed }))
}

export function useDeclineGrant() {
  const changed = useGrantsChanged()
  return useMutation(useTRPC().accessGrants.decline.mutationOptions({ onSettled: changed }))
}

export function useEndGrant() {
  const changed = useGrantsChanged()
  return useMutation(useTRPC().accessGrants.end.mutationOptions({ onSettled: changed }))
}

export function useAcknowledgeGrant() {
  const changed = useGrantsChanged()
  return useMutation(useTRPC().accessGrants.acknowledge.mutationOptions({ onSuccess: changed }))
}
