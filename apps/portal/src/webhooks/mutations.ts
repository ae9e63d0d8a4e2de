import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** The changes of a workplace's webhook endpoints. A secret leaves the memory with its window. */
export function useEndpointMutations() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const onSettled = () => {
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    return queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter())
  }
  const withSecret = { gcTime: 0, onSettled }
  return {
    create: useMutation(trpc.webhookEndpoints.create.mutationOptions(withSecret)),
    rotate: useMutation(trpc.webhookEndpoints.rotate.mutationOptions(withSecret)),
    update: useMutation(trpc.webhookEndpoints.update.mutationOptions({ onSettled })),
    remove: useMutation(trpc.webhookEndpoints.remove.mutationOptions({ onSettled })),
    test: useMutation(trpc.webhookEndpoints.test.mutationOptions({ onSettled })),
    replay: useMutation(trpc.webhookEndpoints.replay.mutationOptions({ onSettled })),
  }
}
