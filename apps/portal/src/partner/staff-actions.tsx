import { type PartnerAccess, partnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import type { StaffView } from '@atrium/core/partners/partner-team'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useInvalidatePartner } from './mutations.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

/** Changes the level of a member of staff, or removes the person, after a question. */
export function StaffActions({ person }: { person: StaffView }) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useInvalidatePartner()
  const [removing, setRemoving] = useState(false)
  const path = { slug: partner.slug, userId: person.userId }
  const change = useMutation(
    trpc.partners.changeStaffAccess.mutationOptions({
      onSuccess: ({ name, access }) =>
        done(`${name} is ${accessLabel(access).name.toLowerCase()} now.`),
      onSettled: forget,
    }),
  )
  const remove = useMutation(trpc.partners.removeStaff.mutationOptions({ onSettled: forget }))
  function choose(access: PartnerAccess | undefined) {
    if (access && access !== person.access) change.mutate({ ...path, access })
  }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <NativeSelect
        size="xs"
        aria-label={`Access level of ${person.name}`}
        value={change.isPending ? change.variables.access : person.access}
        disabled={change.isPending}
        error={
          change.error ? (explain(change.error) ?? problemOf(change.error).message) : undefined
        }
        onChange={(event) => choose(partnerAccess.safeParse(event.currentTarget.value).data)}
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
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync(path)
          done(`${person.name} is no longer on the staff.`)
        }}
      >
        {person.name} ({person.email}) loses access to {partner.name} at once. The account itself
        stays.
      </ConfirmDialog>
    </Group>
  )
}
