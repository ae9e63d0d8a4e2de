import { isProvisioned, type TenantView } from '@atrium/core/tenants'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

/**
 * Follows the provisioning of a workplace until every step is done. Each event brings the cached record up to date at once; what an
 * event does not carry (handles, health) is read again with it. Answers whether a run is under way.
 */
export function useTenantEvents(tenant: TenantView): { running: boolean } {
  const { slug } = tenant
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [running, setRunning] = useState(tenant.status === 'pending')
  const unfinished = !isProvisioned(tenant.provisioningStatus) && tenant.status !== 'deleted'
  const stream = useSubscription(
    trpc.tenants.events.subscriptionOptions(
      { slug },
      {
        // A stream occupies one of the browser's few connections per host, so a finished workplace holds none.
        enabled: unfinished,
        onData: ({ at: _, running: runs, ...facts }) => {
          const known = queryClient.getQueryData(trpc.tenants.get.queryKey({ slug }))
          setRunning(runs)
          queryClient.setQueryData(trpc.tenants.get.queryKey({ slug }), (record) => record && { ...record, ...facts })
          if (known?.status !== facts.status || isProvisioned(facts.provisioningStatus)) {
            void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
            void queryClient.invalidateQueries(trpc.users.me.pathFilter())
          }
        },
      },
    ),
  )
  // Where no stream comes through (some proxies hold it back), the record is read every few seconds instead.
  const fallback = unfinished && stream.status !== 'pending' ? 5_000 : false
  useQuery(trpc.tenants.get.queryOptions({ slug }, { refetchInterval: fallback }))
  return { running: running && unfinished }
}
