import type { InvitationOutcomes } from '@atrium/core/invitations/invitations'
import { tenantRoles } from '@atrium/core/platform/choices'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import { MultiSelect, NativeSelect } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import InviteDialog, { type InviteInput } from './invite-dialog.tsx'
import { translations } from './messages.ts'
import { oneOf } from './search-params.ts'

const t = translations('ui.invitations')
const labels = translations('ui.labels')

interface Props {
  opened: boolean
  onClose: () => void
  /** Distribution lists that the people may join. */
  lists?: readonly { id: string; address: string }[]
  notice?: (count: number) => ReactNode
  onInvite: (
    input: InviteInput & { role: TenantRole; listIds: string[] },
  ) => Promise<InvitationOutcomes>
  explain?: (error: unknown) => string | undefined
}

/** Invites people to a workplace, with a role and the lists they join. */
export default function InviteMembersDialog({ lists = [], onInvite, ...props }: Props) {
  const [role, setRole] = useState<TenantRole>('member')
  const [listIds, setListIds] = useState<string[]>([])
  return (
    <InviteDialog
      {...props}
      single={role === 'owner'}
      onInvite={(input) => onInvite({ role, listIds, ...input })}
    >
      <NativeSelect
        label={t('dialog.role')}
        value={role}
        onChange={(event) => setRole(oneOf(tenantRoles)(event.currentTarget.value) ?? 'member')}
        data={tenantRoles.map((one) => ({ value: one, label: labels(`roles.${one}`) }))}
      />
      {lists.length > 0 && (
        <MultiSelect
          label={t('dialog.lists')}
          value={listIds}
          onChange={setListIds}
          maxValues={20}
          searchable
          data={lists.map(({ id, address }) => ({ value: id, label: address }))}
        />
      )}
    </InviteDialog>
  )
}
