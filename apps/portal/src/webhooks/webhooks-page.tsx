import { EndpointList } from '@atrium/ui/webhook-endpoints/endpoint-list'
import { useQuery } from '@tanstack/react-query'
import { maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { useTenantEndpoints } from './source.ts'

/** Addresses that the events of the workplace are delivered to. */
export function WebhooksPage() {
  const { slug, name, role, grant, custodian } = useTenant()
  const source = useTenantEndpoints(slug)
  const admin = maySeeSettings(role) && grant === null && !custodian
  const query = useQuery(useTRPC().webhookEndpoints.list.queryOptions({ slug }, { enabled: admin }))
  if (!admin) return <NoAccess slug={slug} />
  return <EndpointList source={source} owner={name} query={query} />
}
