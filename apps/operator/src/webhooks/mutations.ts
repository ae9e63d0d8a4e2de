import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

function useInboxChanged(): () => void {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    void queryClient.invalidateQueries(trpc.webhooks.pathFilter())
    void queryClient.invalidateQueries(trpc.billing.pathFilter())
  }
}

export function useReplayEvent() {
  const changed = useInboxChanged()
  return useMutation(useTRPC().webhooks.replay.mutationOptions({ onSettled: changed }))
}

export function useReplayParked() {
  const changed = useInboxChanged()
  return useMutation(useTRPC().webhooks.replayParked.mutationOptions({ onSettled: changed }))
}
