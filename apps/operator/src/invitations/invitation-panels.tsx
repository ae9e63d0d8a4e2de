import { invitationKinds } from '@atrium/core/platform/choices'
import { InvitationList } from '@atrium/ui/invitation-list'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { InviteOperators } from './invite-button.tsx'
import { useInvitationChoice } from './use-invitation-choice.ts'

/** Every invitation of the installation; invites operators. */
export function AllInvitations() {
  const { shown, page, kind, kept } = useInvitationChoice()
  const query = useQuery(useTRPC().invitations.list.queryOptions({ ...page, kind }, kept))
  return (
    <InvitationList
      query={query}
      withPlace
      kinds={invitationKinds}
      actions={<InviteOperators />}
      {...shown}
    />
  )
}

/** Invitations to a partner's staff. */
export function PartnerInvitations({ slug }: { slug: string }) {
  const { shown, page, kept } = useInvitationChoice()
  const query = useQuery(useTRPC().invitations.ofPartner.queryOptions({ slug, ...page }, kept))
  return <InvitationList query={query} {...shown} />
}
