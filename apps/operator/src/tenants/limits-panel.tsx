import type { TenantView } from '@atrium/core/tenants/tenants'
import { LimitUsePanel } from '@atrium/ui/limit-use'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { EditLimits } from './edit-tenant.tsx'

/** What the tenant has used of each limit, with the way to raise or lower one. */
export function LimitsPanel({ tenant }: { tenant: TenantView }) {
  const query = useQuery(useTRPC().tenants.limits.queryOptions({ slug: tenant.slug }))
  return (
    <LimitUsePanel
      query={query}
      actions={(items) =>
        tenant.status !== 'deleted' && <EditLimits tenant={tenant} items={items} />
      }
    />
  )
}
