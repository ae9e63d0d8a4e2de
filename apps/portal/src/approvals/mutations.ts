import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Everything that a decision or a limit may have changed is read again. */
function useApprovalsChanged(): () => void {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    for (const filter of [
      trpc.approvals.pathFilter(),
      trpc.subscriptions.pathFilter(),
      trpc.billing.pathFilter(),
      trpc.tenants.pathFilter(),
    ]) {
      void queryClient.invalidateQueries(filter)
    }
  }
}

export function useApprove() {
  const changed = useApprovalsChanged()
  return useMutation(useTRPC().approvals.approve.mutationOptions({ onSettled: changed }))
}

export function useDecline() {
  const changed = useApprovalsChanged()
  return useMutation(useTRPC().approvals.decline.mutationOptions({ onSettled: changed }))
}

export function useSetLimit() {
  const changed = useApprovalsChanged()
  return useMutation(useTRPC().approvals.setLimit.mutationOptions({ onSuccess: changed }))
}

export function useRemoveLimit() {
  const changed = useApprovalsChanged()
  return useMutation(useTRPC().approvals.removeLimit.mutationOptions({ onSuccess: changed }))
}
