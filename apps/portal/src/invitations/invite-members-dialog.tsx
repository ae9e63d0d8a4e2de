import { tenantRoles } from '@atrium/core/platform/choices'
import type { TenantRole, TenantView } from '@atrium/core/tenants/tenants'
import InviteDialog from '@atrium/ui/invite-dialog'
import { translations } from '@atrium/ui/messages'
import { oneOf } from '@atrium/ui/search-params'
import { useMutation } from '@atrium/ui/use-mutation'
import { MultiSelect, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { useInvalidateInvitations } from './use-invalidate-invitations.ts'

const t = translations('ui.invitations')
const labels = translations('ui.labels')

interface Props {
  tenant: TenantView
  opened: boolean
  onClose: () => void
}

/** Invites people to a workplace, with a role and the lists they join. */
export default function InviteMembersDialog({ tenant, opened, onClose }: Props) {
  const { slug } = tenant
  const trpc = useTRPC()
  const [role, setRole] = useState<TenantRole>('member')
  const [listIds, setListIds] = useState<string[]>([])
  const lists = useQuery(trpc.lists.list.queryOptions({ slug, limit: 200 }))
  const invite = useMutation(
    trpc.invitations.inviteMembers.mutationOptions({ onSuccess: useInvalidateInvitations() }),
  )
  return (
    <InviteDialog
      opened={opened}
      onClose={onClose}
      single={role === 'owner'}
      explain={explain}
      onInvite={(input) => invite.mutateAsync({ slug, role, listIds, ...input })}
    >
      <NativeSelect
        label={t('dialog.role')}
        value={role}
        onChange={(event) => setRole(oneOf(tenantRoles)(event.currentTarget.value) ?? 'member')}
        data={tenantRoles.map((one) => ({ value: one, label: labels(`roles.${one}`) }))}
      />
      {(lists.data?.items.length ?? 0) > 0 && (
        <MultiSelect
          label={t('dialog.lists')}
          value={listIds}
          onChange={setListIds}
          maxValues={20}
          searchable
          data={(lists.data?.items ?? []).map(({ id, address }) => ({ value: id, label: address }))}
        />
      )}
    </InviteDialog>
  )
}
