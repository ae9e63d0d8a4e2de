import { partnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import type { StaffView } from '@atrium/core/partners/partner-team'
import type { PartnerView } from '@atrium/core/partners/partners'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useChangeStaffAccess, useRemoveStaff } from './mutations.ts'

/** Changes the level of a member of staff, or removes the person, after a question. */
export function StaffActions({ partner, person }: { partner: PartnerView; person: StaffView }) {
  const [removing, setRemoving] = useState(false)
  const change = useChangeStaffAccess()
  const remove = useRemoveStaff()
  const path = { slug: partner.slug, userId: person.userId }
  function choose(text: string) {
    const { data: access } = partnerAccess.safeParse(text)
    if (!access || access === person.access) return
    change.mutate(
      { ...path, access },
      {
        onSuccess: (saved) =>
          done(`${saved.name} is ${accessLabel(access).name.toLowerCase()} now.`),
      },
    )
  }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap" align="flex-start">
      <NativeSelect
        size="xs"
        aria-label={`Access level of ${person.name}`}
        value={change.isPending ? change.variables.access : person.access}
        disabled={change.isPending}
        error={change.error ? problemOf(change.error).message : undefined}
        onChange={(event) => choose(event.currentTarget.value)}
        data={partnerAccesses.map((access) => ({
          value: access,
          label: accessLabel(access).name,
        }))}
      />
      <Button
        size="xs"
        variant="default"
        c="red"
        onClick={() => setRemoving(true)}
        aria-label={`Remove ${person.name}`}
      >
        Remove
      </Button>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title={`Remove ${person.name}?`}
        confirmLabel="Remove from staff"
        onConfirm={async () => {
          await remove.mutateAsync(path)
          done(`${person.name} is no longer on the staff of ${partner.name}.`)
        }}
      >
        {person.name} ({person.email}) loses access to {partner.name} at once. The account itself
        stays.
      </ConfirmDialog>
    </Group>
  )
}
