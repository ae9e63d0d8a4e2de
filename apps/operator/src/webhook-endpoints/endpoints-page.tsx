import { EndpointList } from '@atrium/ui/webhook-endpoints/endpoint-list'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { usePlatformEndpoints } from './source.ts'

export const Route = createLazyRoute('/authenticated/webhook-endpoints')({
  component: WebhookEndpointsPage,
})

/** Addresses that the events of the whole platform are delivered to. */
function WebhookEndpointsPage() {
  const source = usePlatformEndpoints()
  const query = useQuery(useTRPC().webhookEndpoints.listOfPlatform.queryOptions())
  return <EndpointList source={source} query={query} />
}
