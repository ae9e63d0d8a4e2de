import { everyInvitation, InvitationList } from '@atrium/ui/invitation-list'
import { currentCursor } from '@atrium/ui/paging'
import { useMutation } from '@atrium/ui/use-mutation'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useInvalidateInvitations } from '../invitations/use-invalidate-invitations.ts'
import { useTRPC } from '../trpc.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

/** Who is invited to the partner's staff, for its owners. */
export function StaffInvitations() {
  const { slug } = usePartner()
  const trpc = useTRPC()
  const [choice, setChoice] = useState(everyInvitation)
  const query = useQuery(
    trpc.invitations.ofPartner.queryOptions(
      { slug, q: choice.q, state: choice.state, cursor: currentCursor(choice.cursors), limit: 20 },
      { placeholderData: keepPreviousData },
    ),
  )
  const onSuccess = useInvalidateInvitations()
  const resend = useMutation(trpc.invitations.resendOfPartner.mutationOptions({ onSuccess }))
  const revoke = useMutation(trpc.invitations.revokeOfPartner.mutationOptions({ onSuccess }))
  return (
    <InvitationList
      query={query}
      choice={choice}
      onChoose={setChoice}
      changes={{
        resend: ({ id }) => resend.mutateAsync({ slug, invitationId: id }),
        revoke: ({ id }) => revoke.mutateAsync({ slug, invitationId: id }),
        explain,
      }}
    />
  )
}
