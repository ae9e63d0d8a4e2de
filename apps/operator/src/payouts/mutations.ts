import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Refetches payouts, ledgers and the audit log after a change. */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.payouts.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

/**
 * Every transition of a payout. A rejected one may mean that someone else was faster, so the payout
 * is refetched either way.
 */
export function usePayoutMoves() {
  const { payouts } = useTRPC()
  const onSettled = useStale()
  return {
    approve: useMutation(payouts.approve.mutationOptions({ onSettled })),
    hold: useMutation(payouts.hold.mutationOptions({ onSettled })),
    reopen: useMutation(payouts.reopen.mutationOptions({ onSettled })),
    send: useMutation(payouts.send.mutationOptions({ onSettled })),
    pay: useMutation(payouts.pay.mutationOptions({ onSettled })),
    fail: useMutation(payouts.fail.mutationOptions({ onSettled })),
    cancel: useMutation(payouts.void.mutationOptions({ onSettled })),
  }
}

export function useCreateAdjustment() {
  const onSuccess = useStale()
  return useMutation(useTRPC().payouts.adjust.mutationOptions({ onSuccess }))
}

export function useDecideAdjustment() {
  const { payouts } = useTRPC()
  const onSettled = useStale()
  return {
    approve: useMutation(payouts.approveAdjustment.mutationOptions({ onSettled })),
    reject: useMutation(payouts.refuseAdjustment.mutationOptions({ onSettled })),
  }
}
