import type { TenantSubscription } from '@atrium/core/billing/subscriptions'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.subscriptions')

/**
 * Caches the response and reloads what depends on the subscription: the tenant, its bills, its log.
 */
function useKeep(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return async (subscription: TenantSubscription | null | undefined) => {
    if (subscription !== undefined)
      queryClient.setQueryData(trpc.subscriptions.getOfTenant.queryKey({ slug }), subscription)
    await Promise.all([
      queryClient.invalidateQueries(trpc.approvals.pathFilter()),
      ...(subscription === undefined
        ? [queryClient.invalidateQueries(trpc.subscriptions.getOfTenant.queryFilter({ slug }))]
        : []),
      queryClient.invalidateQueries(trpc.tenants.pathFilter()),
      queryClient.invalidateQueries(trpc.billing.pathFilter()),
    ])
  }
}

export function useStartSubscription(slug: string) {
  const keep = useKeep(slug)
  return useMutation(
    useTRPC().subscriptions.start.mutationOptions({
      onSuccess: ({ subscription }) => keep(subscription ?? undefined),
    }),
  )
}

export function useChangeSubscription(slug: string) {
  const keep = useKeep(slug)
  return useMutation(
    useTRPC().subscriptions.change.mutationOptions({
      onSuccess: ({ subscription }) => keep(subscription),
    }),
  )
}

export function useCancelSubscription(slug: string) {
  return useMutation(useTRPC().subscriptions.cancel.mutationOptions({ onSuccess: useKeep(slug) }))
}

export function useKeepSubscription(slug: string) {
  const keep = useKeep(slug)
  return useMutation(
    useTRPC().subscriptions.keep.mutationOptions({
      onSuccess: (subscription) => {
        done(t('kept'))
        return keep(subscription)
      },
    }),
  )
}

export function useDiscardPending(slug: string) {
  const keep = useKeep(slug)
  return useMutation(
    useTRPC().subscriptions.discardPending.mutationOptions({
      onSuccess: () => {
        done(t('pending.discarded'))
        return keep(undefined)
      },
    }),
  )
}
