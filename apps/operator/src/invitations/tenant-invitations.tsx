import { tenantInvitationKinds } from '@atrium/core/platform/choices'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { InvitationList } from '@atrium/ui/invitation-list'
import { oneOf } from '@atrium/ui/search-params'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { InviteMembers } from './invite-button.tsx'
import { useInvitationChoice } from './use-invitation-choice.ts'

/** Invitations to a tenant, that of its owner included; invites more. */
export default function TenantInvitations({ tenant }: { tenant: TenantView }) {
  const { slug, status } = tenant
  const { shown, page, kind, kept } = useInvitationChoice()
  const query = useQuery(
    useTRPC().invitations.ofTenant.queryOptions(
      { slug, ...page, kind: kind && oneOf(tenantInvitationKinds)(kind) },
      kept,
    ),
  )
  const open = status !== 'suspended' && status !== 'deleted'
  return (
    <InvitationList
      query={query}
      kinds={tenantInvitationKinds}
      actions={open && <InviteMembers slug={slug} />}
      {...shown}
    />
  )
}
