import type { TenantView } from '@atrium/core/tenants/tenants'
import { everyInvitation, InvitationList } from '@atrium/ui/invitation-list'
import { currentCursor } from '@atrium/ui/paging'
import { useMutation } from '@atrium/ui/use-mutation'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { useTRPC } from '../trpc.ts'
import { useInvalidateInvitations } from './use-invalidate-invitations.ts'

/** Who is invited to a workplace, for its admins. */
export function TenantInvitations({ tenant }: { tenant: TenantView }) {
  const { slug } = tenant
  const trpc = useTRPC()
  const [choice, setChoice] = useState(everyInvitation)
  const { state, cursors } = choice
  const query = useQuery(
    trpc.invitations.ofTenant.queryOptions(
      { slug, state, cursor: currentCursor(cursors), limit: 20 },
      { placeholderData: keepPreviousData },
    ),
  )
  const onSuccess = useInvalidateInvitations()
  const resend = useMutation(trpc.invitations.resendOfTenant.mutationOptions({ onSuccess }))
  const revoke = useMutation(trpc.invitations.revokeOfTenant.mutationOptions({ onSuccess }))
  return (
    <InvitationList
      query={query}
      choice={choice}
      onChoose={setChoice}
      acts={
        mayChange(tenant)
          ? {
              resend: ({ id }) => resend.mutateAsync({ slug, invitationId: id }),
              revoke: ({ id }) => revoke.mutateAsync({ slug, invitationId: id }),
              explain,
            }
          : undefined
      }
    />
  )
}
