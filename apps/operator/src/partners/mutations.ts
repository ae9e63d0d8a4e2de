import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * After a change to a partner: its lists, its tenants, its people and the audit log are read again.
 */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.partners.pathFilter()),
      queryClient.invalidateQueries(trpc.invitations.pathFilter()),
      queryClient.invalidateQueries(trpc.tenants.pathFilter()),
      queryClient.invalidateQueries(trpc.users.list.pathFilter()),
      queryClient.invalidateQueries(trpc.users.get.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

export function useCreatePartner() {
  const stale = useStale()
  return useMutation(useTRPC().partners.create.mutationOptions({ onSuccess: stale }))
}

export function useUpdatePartner() {
  const stale = useStale()
  return useMutation(useTRPC().partners.update.mutationOptions({ onSuccess: stale }))
}

export function useTerminatePartner() {
  const stale = useStale()
  return useMutation(useTRPC().partners.terminate.mutationOptions({ onSuccess: stale }))
}

export function useChangeStaffAccess() {
  const stale = useStale()
  return useMutation(useTRPC().partners.changeStaffAccess.mutationOptions({ onSettled: stale }))
}

export function useRemoveStaff() {
  const stale = useStale()
  return useMutation(useTRPC().partners.removeStaff.mutationOptions({ onSettled: stale }))
}
