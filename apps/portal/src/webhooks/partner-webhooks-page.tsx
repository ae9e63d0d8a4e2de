import { EndpointList } from '@atrium/ui/webhook-endpoints/endpoint-list'
import { useQuery } from '@tanstack/react-query'
import { usePartner } from '../partner/use-partner.ts'
import { useTRPC } from '../trpc.ts'
import { usePartnerEndpoints } from './source.ts'

/** Addresses that the events of the partner and its customers are delivered to. */
export function PartnerWebhooksPage() {
  const { slug, name } = usePartner()
  const source = usePartnerEndpoints(slug)
  const query = useQuery(useTRPC().webhookEndpoints.listOfPartner.queryOptions({ slug }))
  return <EndpointList source={source} owner={name} query={query} />
}
