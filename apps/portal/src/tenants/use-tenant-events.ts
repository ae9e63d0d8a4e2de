import { awaitsProvisioning } from '@atrium/core/provisioning/provisioning'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useRef, useState } from 'react'
import { useTRPC } from '../trpc.ts'

/**
 * Follows the provisioning of a workplace until it is ready. Each event updates the cached record
 * at once and invalidates what depends on it (handles, health, the list of workplaces). Returns
 * whether a run is in progress.
 */
export function useTenantEvents(tenant: TenantView): { running: boolean } {
  const { slug } = tenant
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [running, setRunning] = useState(tenant.status === 'pending')
  const unfinished = awaitsProvisioning(tenant)
  const stream = useSubscription(
    trpc.tenants.events.subscriptionOptions(
      { slug },
      {
        // An open stream occupies one of the browser's few connections per host, so a ready
        // workplace keeps none.
        enabled: unfinished,
        onData: ({ at: _, running: runs, ...facts }) => {
          setRunning(runs)
          queryClient.setQueryData(
            trpc.tenants.get.queryKey({ slug }),
            (record) => record && { ...record, ...facts },
          )
          void queryClient.invalidateQueries(trpc.healthScores.get.queryFilter({ slug }))
        },
      },
    ),
  )
  // Some proxies hold streams back: the record is then read every few seconds.
  const fallback = unfinished && stream.status !== 'pending' ? 5_000 : false
  useQuery(trpc.tenants.get.queryOptions({ slug }, { refetchInterval: fallback }))
  // The stream ends when the workplace is ready, also where a response says so before any event.
  const wasUnfinished = useRef(unfinished)
  useEffect(() => {
    if (wasUnfinished.current && !unfinished) {
      void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
      void queryClient.invalidateQueries(trpc.healthScores.get.queryFilter({ slug }))
      void queryClient.invalidateQueries(trpc.users.me.pathFilter())
    }
    wasUnfinished.current = unfinished
  }, [unfinished, slug, trpc, queryClient])
  return { running: running && unfinished }
}
