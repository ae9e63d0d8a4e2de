import { InvitationList } from '@atrium/ui/invitation-list'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { useInvitationChoice } from './use-invitation-choice.ts'

/** Every invitation of the installation. */
export function AllInvitations() {
  const { shown, page, kept } = useInvitationChoice()
  const query = useQuery(useTRPC().invitations.list.queryOptions(page, kept))
  return <InvitationList query={query} withPlace {...shown} />
}

/** Invitations to a partner's staff. */
export function PartnerInvitations({ slug }: { slug: string }) {
  const { shown, page, kept } = useInvitationChoice()
  const query = useQuery(useTRPC().invitations.ofPartner.queryOptions({ slug, ...page }, kept))
  return <InvitationList query={query} {...shown} />
}
