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
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    return queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter())
  }
}

/** The webhook endpoints of a workplace. A secret leaves the memory with its window. */
export function useTenantEndpoints(slug: string) {
  const trpc = useTRPC()
  const options = { onSettled: useEndpointsChanged() }
  const withSecret = { ...options, gcTime: 0 }
  const create = useMutation(trpc.webhookEndpoints.create.mutationOptions(withSecret))
  const update = useMutation(trpc.webhookEndpoints.update.mutationOptions(options))
  const rotate = useMutation(trpc.webhookEndpoints.rotate.mutationOptions(withSecret))
  const remove = useMutation(trpc.webhookEndpoints.remove.mutationOptions(options))
  const test = useMutation(trpc.webhookEndpoints.test.mutationOptions(options))
  const replay = useMutation(trpc.webhookEndpoints.replay.mutationOptions(options))
  return {
    kind: 'tenant' as const,
    deliveries: (page: ListWebhookDeliveries) =>
      trpc.webhookEndpoints.deliveries.queryOptions({ slug, ...page }),
    create: (endpoint: CreateWebhookEndpoint) => create.mutateAsync({ slug, ...endpoint }),
    update: (change: UpdateWebhookEndpoint) => update.mutateAsync({ slug, ...change }),
    rotate: (rotation: RotateWebhookSecret) => rotate.mutateAsync({ slug, ...rotation }),
    remove: (id: string) => remove.mutateAsync({ slug, id }),
    test: (id: string) => test.mutateAsync({ slug, id }),
    replay: (events: ReplayEvents) => replay.mutateAsync({ slug, ...events }),
  }
}

/** The webhook endpoints of a partner. A secret leaves the memory with its window. */
export function usePartnerEndpoints(slug: string) {
  const trpc = useTRPC()
  const options = { onSettled: useEndpointsChanged() }
  const withSecret = { ...options, gcTime: 0 }
  const create = useMutation(trpc.webhookEndpoints.createOfPartner.mutationOptions(withSecret))
  const update = useMutation(trpc.webhookEndpoints.updateOfPartner.mutationOptions(options))
  const rotate = useMutation(trpc.webhookEndpoints.rotateOfPartner.mutationOptions(withSecret))
  const remove = useMutation(trpc.webhookEndpoints.removeOfPartner.mutationOptions(options))
  const test = useMutation(trpc.webhookEndpoints.testOfPartner.mutationOptions(options))
  const replay = useMutation(trpc.webhookEndpoints.replayOfPartner.mutationOptions(options))
  return {
    kind: 'partner' as const,
    deliveries: (page: ListWebhookDeliveries) =>
      trpc.webhookEndpoints.deliveriesOfPartner.queryOptions({ slug, ...page }),
    create: (endpoint: CreateWebhookEndpoint) => create.mutateAsync({ slug, ...endpoint }),
    update: (change: UpdateWebhookEndpoint) => update.mutateAsync({ slug, ...change }),
    rotate: (rotation: RotateWebhookSecret) => rotate.mutateAsync({ slug, ...rotation }),
    remove: (id: string) => remove.mutateAsync({ slug, id }),
    test: (id: string) => test.mutateAsync({ slug, id }),
    replay: (events: ReplayEvents) => replay.mutateAsync({ slug, ...events }),
  }
}
