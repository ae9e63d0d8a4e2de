import type { TenantView } from '@atrium/core/tenants/tenants'
import InviteDialog from '@atrium/ui/invite-members-dialog'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQuery } from '@tanstack/react-query'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { SeatsForInvitations } from './seats-for-invitations.tsx'
import { useInvalidateInvitations } from './use-invalidate-invitations.ts'

interface Props {
  tenant: TenantView
  opened: boolean
  onClose: () => void
}

/** Invites people to a workplace; says before when there are not enough seats, and sells some. */
export default function InviteMembersDialog({ tenant, opened, onClose }: Props) {
  const { slug } = tenant
  const trpc = useTRPC()
  const lists = useQuery(trpc.lists.list.queryOptions({ slug, limit: 200 }))
  const invite = useMutation(
    trpc.invitations.inviteMembers.mutationOptions({ onSuccess: useInvalidateInvitations() }),
  )
  return (
    <InviteDialog
      opened={opened}
      onClose={onClose}
      lists={lists.data?.items ?? []}
      notice={(count) => <SeatsForInvitations tenant={tenant} count={count} />}
      explain={explain}
      onInvite={(input) => invite.mutateAsync({ slug, ...input })}
    />
  )
}
