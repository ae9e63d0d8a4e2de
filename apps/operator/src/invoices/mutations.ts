import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Refetches invoices and what follows from them after a correction, also after a rejected one. */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.operatorInvoices.pathFilter()),
      queryClient.invalidateQueries(trpc.billing.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

export function useCorrectInvoice() {
  const onSettled = useStale()
  return useMutation(useTRPC().operatorInvoices.correct.mutationOptions({ onSettled }))
}

export function useDecideCorrection() {
  const { operatorInvoices } = useTRPC()
  const onSettled = useStale()
  return {
    approve: useMutation(operatorInvoices.approve.mutationOptions({ onSettled })),
    reject: useMutation(operatorInvoices.reject.mutationOptions({ onSettled })),
  }
}
