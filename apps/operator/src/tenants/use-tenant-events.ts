import { useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useRef, useState } from 'react'
import { useTRPC } from '../trpc.ts'

/**
 * Follows a tenant's provisioning. Each event updates the cached record at once; a change
 * invalidates what an event does not carry (handles, health). Returns whether a run is in progress
 * and whether the stream is connected.
 */
export function useTenantEvents(
  slug: string,
  enabled: boolean,
): { running: boolean; live: boolean } {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [running, setRunning] = useState(false)
  const last = useRef('')
  const subscription = useSubscription(
    trpc.tenants.events.subscriptionOptions(
      { slug },
      {
        enabled,
        onData: ({ at: _, running: runs, ...facts }) => {
          setRunning(runs)
          queryClient.setQueryData(
            trpc.tenants.get.queryKey({ slug }),
            (tenant) => tenant && { ...tenant, ...facts },
          )
          const content = JSON.stringify([slug, runs, facts])
          if (last.current !== '' && last.current !== content) {
            void queryClient.invalidateQueries(trpc.tenants.get.queryFilter({ slug }))
            void queryClient.invalidateQueries(trpc.healthScores.get.queryFilter({ slug }))
          }
          last.current = content
        },
      },
    ),
  )
  return { running, live: subscription.status === 'pending' }
}
