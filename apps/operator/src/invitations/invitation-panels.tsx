import { everyInvitation, InvitationList } from '@atrium/ui/invitation-list'
import { currentCursor } from '@atrium/ui/paging'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useInvitationActs } from './use-invitation-acts.ts'

function useChoice() {
  const [choice, onChoose] = useState(everyInvitation)
  const { state, cursors } = choice
  return {
    shown: { choice, onChoose, acts: useInvitationActs() },
    page: { state, cursor: currentCursor(cursors), limit: 20 },
    kept: { placeholderData: keepPreviousData },
  }
}

/** Every invitation of the installation. */
export function AllInvitations() {
  const { shown, page, kept } = useChoice()
  const query = useQuery(useTRPC().invitations.list.queryOptions(page, kept))
  return <InvitationList query={query} withPlace {...shown} />
}

/** Invitations to a tenant, that of its owner included. */
export function TenantInvitations({ slug }: { slug: string }) {
  const { shown, page, kept } = useChoice()
  const query = useQuery(useTRPC().invitations.ofTenant.queryOptions({ slug, ...page }, kept))
  return <InvitationList query={query} {...shown} />
}

/** Invitations to a partner's staff. */
export function PartnerInvitations({ slug }: { slug: string }) {
  const { shown, page, kept } = useChoice()
  const query = useQuery(useTRPC().invitations.ofPartner.queryOptions({ slug, ...page }, kept))
  return <InvitationList query={query} {...shown} />
}
