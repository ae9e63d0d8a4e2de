import { type PartnerAccess, partnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import type { StaffView } from '@atrium/core/partners/partner-team'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { problemOf } from '@atrium/ui/problem'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useInvalidatePartner } from './mutations.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

const t = translations('portal.partner-staff')

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
        done(t('access.done', { person: name, access: accessLabel(access).name })),
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
        aria-label={t('access.label', { person: person.name })}
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
        aria-label={t('remove.label', { person: person.name })}
      >
        {t('remove.open')}
      </Button>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title={t('remove.question', { person: person.name })}
        confirmLabel={t('remove.submit')}
        explain={explain}
        onConfirm={async () => {
          await remove.mutateAsync(path)
          done(t('remove.done', { person: person.name }))
        }}
      >
        {t('remove.effects', { person: person.name, email: person.email, partner: partner.name })}
      </ConfirmDialog>
    </Group>
  )
}
