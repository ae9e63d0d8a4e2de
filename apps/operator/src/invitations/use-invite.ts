import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Invites people: as members or owner of a tenant, as staff of a partner, as operators. */
export function useInvite() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const { invitations } = trpc
  const onSuccess = () =>
    Promise.all([
      queryClient.invalidateQueries(invitations.pathFilter()),
      queryClient.invalidateQueries(trpc.audit.pathFilter()),
    ])
  return {
    members: useMutation(invitations.inviteMembers.mutationOptions({ onSuccess })).mutateAsync,
    staff: useMutation(invitations.inviteStaff.mutationOptions({ onSuccess })).mutateAsync,
    operators: useMutation(invitations.inviteOperators.mutationOptions({ onSuccess })).mutateAsync,
  }
}
