import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import type { DomainStep } from './domain-steps.ts'

/** After a change to a tenant: its lists, its members' records and the audit log are read again. */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.tenants.pathFilter()),
      queryClient.invalidateQueries(trpc.domains.pathFilter()),
      queryClient.invalidateQueries(trpc.users.list.pathFilter()),
      queryClient.invalidateQueries(trpc.users.get.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

export function useCreateTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.create.mutationOptions({ onSuccess: stale }))
}

export function useUpdateTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.update.mutationOptions({ onSuccess: stale }))
}

export function useSuspendTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.suspend.mutationOptions({ onSuccess: stale }))
}

export function useResumeTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.resume.mutationOptions({ onSuccess: stale }))
}

export function useUpdateSecurityPolicy() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.securityPolicy.update.mutationOptions({
      onSuccess: ({ securityPolicy }, { slug }) => {
        queryClient.setQueryData(trpc.securityPolicy.get.queryKey({ slug }), securityPolicy)
        void queryClient.invalidateQueries(trpc.audit.pathFilter())
      },
    }),
  )
}

export function useSetTenantLimits() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.setLimits.mutationOptions({ onSuccess: stale }))
}

/**
 * Settled and not only successful: a run that was rejected or cut off may have changed steps all
 * the same.
 */
export function useReconcileTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.reconcile.mutationOptions({ onSettled: stale }))
}

export function useDeleteTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.delete.mutationOptions({ onSuccess: stale }))
}

/**
 * Carries out changes of a tenant's domains one after another, up to the first that fails. The
 * tenant is read again after it in any case.
 */
export function useChangeDomains(slug: string) {
  const trpc = useTRPC()
  const stale = useStale()
  const add = useMutation(trpc.domains.add.mutationOptions())
  const makePrimary = useMutation(trpc.domains.makePrimary.mutationOptions())
  const remove = useMutation(trpc.domains.remove.mutationOptions())
  return useMutation({
    mutationFn: async (steps: readonly DomainStep[]) => {
      for (const { act, domain } of steps) {
        const path = { slug, domain }
        if (act === 'add') await add.mutateAsync(path)
        else if (act === 'make primary') await makePrimary.mutateAsync(path)
        else await remove.mutateAsync(path)
      }
    },
    onSettled: stale,
  })
}

export function usePurgeTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.purge.mutationOptions({ onSuccess: stale }))
}

export function useRestoreTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.restore.mutationOptions({ onSuccess: stale }))
}
