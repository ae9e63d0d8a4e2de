import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** After a change to a user: users, the members of their tenants and the audit log are read again. */
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
  return useMutation(useTRPC().users.update.mutationOptions({ onSuccess: stale }))
}

export function useDeactivateUser() {
  const stale = useStale()
  return useMutation(useTRPC().users.deactivate.mutationOptions({ onSuccess: stale }))
}

export function useReactivateUser() {
  const stale = useStale()
  return useMutation(useTRPC().users.reactivate.mutationOptions({ onSuccess: stale }))
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
  return useMutation(useTRPC().users.invite.mutationOptions({ onSuccess: stale }))
}
