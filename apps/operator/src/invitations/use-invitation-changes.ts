import type { InvitationView } from '@atrium/core/invitations/invitations'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Sends an invitation of any kind again, or revokes it. */
export function useInvitationChanges() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const onSuccess = () => queryClient.invalidateQueries(trpc.invitations.pathFilter())
  const { invitations } = trpc
  const resend = {
    tenant: useMutation(invitations.resendOfTenant.mutationOptions({ onSuccess })),
    partner: useMutation(invitations.resendOfPartner.mutationOptions({ onSuccess })),
    operator: useMutation(invitations.resend.mutationOptions({ onSuccess })),
  }
  const revoke = {
    tenant: useMutation(invitations.revokeOfTenant.mutationOptions({ onSuccess })),
    partner: useMutation(invitations.revokeOfPartner.mutationOptions({ onSuccess })),
    operator: useMutation(invitations.revoke.mutationOptions({ onSuccess })),
  }
  const act =
    (ways: typeof resend | typeof revoke) =>
    ({ id: invitationId, kind, tenantSlug, partnerSlug }: InvitationView) => {
      if (kind === 'operator') return ways.operator.mutateAsync({ invitationId })
      if (kind === 'staff')
        return ways.partner.mutateAsync({ slug: partnerSlug ?? '', invitationId })
      return ways.tenant.mutateAsync({ slug: tenantSlug ?? '', invitationId })
    }
  return { resend: act(resend), revoke: act(revoke) }
}
