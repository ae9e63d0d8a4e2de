import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/**
 * After a change to a user: users, the members of their tenants and the audit log are read again.
 * Also after a failure, because an upstream system that fails leaves the first half of a change in
 * place.
 */
function useStale() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries(trpc.users.pathFilter()),
      queryClient.invalidateQueries(trpc.tenants.users.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
}

export function useUpdateUser() {
  const stale = useStale()
  return useMutation(useTRPC().users.update.mutationOptions({ onSettled: stale }))
}

export function useDeactivateUser() {
  const stale = useStale()
  return useMutation(useTRPC().users.deactivate.mutationOptions({ onSettled: stale }))
}

export function useReactivateUser() {
  const stale = useStale()
  return useMutation(useTRPC().users.reactivate.mutationOptions({ onSettled: stale }))
}

/** The page of the deleted user leaves first, so nothing here reads that user again. */
export function useDeleteUser() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.users.delete.mutationOptions({
      onSuccess: () =>
        Promise.all([
          queryClient.invalidateQueries(trpc.users.list.pathFilter()),
          queryClient.invalidateQueries(trpc.tenants.users.pathFilter()),
          queryClient.invalidateQueries(trpc.audit.pathFilter()),
        ]),
    }),
  )
}

export function useInviteOperator() {
  const stale = useStale()
  return useMutation(useTRPC().users.invite.mutationOptions({ onSettled: stale }))
}
