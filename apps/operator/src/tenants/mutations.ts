import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** After a change to a tenant: its lists, its members' records and the audit log are read again. */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.tenants.pathFilter()),
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

/** Settled and not only successful: a run that was refused or cut off may have changed steps all the same. */
export function useReconcileTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.reconcile.mutationOptions({ onSettled: stale }))
}

export function useDeleteTenant() {
  const stale = useStale()
  return useMutation(useTRPC().tenants.delete.mutationOptions({ onSuccess: stale }))
}
