import { InvitationList } from '@atrium/ui/invitation-list'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { useInvitationChoice } from './use-invitation-choice.ts'

/** Invitations to a tenant, that of its owner included. */
export default function TenantInvitations({ slug }: { slug: string }) {
  const { shown, page, kept } = useInvitationChoice()
  const query = useQuery(useTRPC().invitations.ofTenant.queryOptions({ slug, ...page }, kept))
  return <InvitationList query={query} {...shown} />
}
