import type {
  CreateWebhookEndpoint,
  ListWebhookDeliveries,
  ReplayEvents,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

function useEndpointsChanged() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    void queryClient.invalidateQueries(trpc.audit.pathFilter())
    return queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter())
  }
}

/** The webhook endpoints of the platform. A secret leaves the memory with its window. */
export function usePlatformEndpoints() {
  const trpc = useTRPC()
  const options = { onSettled: useEndpointsChanged() }
  const withSecret = { ...options, gcTime: 0 }
  const create = useMutation(trpc.webhookEndpoints.createOfPlatform.mutationOptions(withSecret))
  const update = useMutation(trpc.webhookEndpoints.updateOfPlatform.mutationOptions(options))
  const rotate = useMutation(trpc.webhookEndpoints.rotateOfPlatform.mutationOptions(withSecret))
  const remove = useMutation(trpc.webhookEndpoints.removeOfPlatform.mutationOptions(options))
  const test = useMutation(trpc.webhookEndpoints.testOfPlatform.mutationOptions(options))
  const replay = useMutation(trpc.webhookEndpoints.replayOfPlatform.mutationOptions(options))
  return {
    kind: 'platform' as const,
    deliveries: (page: ListWebhookDeliveries) =>
      trpc.webhookEndpoints.deliveriesOfPlatform.queryOptions(page),
    create: (endpoint: CreateWebhookEndpoint) => create.mutateAsync(endpoint),
    update: (change: UpdateWebhookEndpoint) => update.mutateAsync(change),
    rotate: (rotation: RotateWebhookSecret) => rotate.mutateAsync(rotation),
    remove: (id: string) => remove.mutateAsync({ id }),
    test: (id: string) => test.mutateAsync({ id }),
    replay: (events: ReplayEvents) => replay.mutateAsync(events),
  }
}
