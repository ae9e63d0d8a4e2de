import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Everything that a payment or another card may have changed is read again. */
export function useBillingChanged(): () => void {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    for (const filter of [
      trpc.billing.pathFilter(),
      trpc.subscriptions.pathFilter(),
      trpc.tenants.pathFilter(),
    ]) {
      void queryClient.invalidateQueries(filter)
    }
  }
}

export function useSetPaymentMethod() {
  const changed = useBillingChanged()
  return useMutation(useTRPC().billing.setPaymentMethod.mutationOptions({ onSettled: changed }))
}

export function useRemovePaymentMethod() {
  const changed = useBillingChanged()
  return useMutation(useTRPC().billing.removePaymentMethod.mutationOptions({ onSuccess: changed }))
}

export function usePayInvoice() {
  const changed = useBillingChanged()
  return useMutation(useTRPC().billing.payInvoice.mutationOptions({ onSettled: changed }))
}

export function useCreateSetupIntent() {
  return useMutation(useTRPC().billing.createSetupIntent.mutationOptions())
}
