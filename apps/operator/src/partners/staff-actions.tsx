import { partnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import type { StaffView } from '@atrium/core/partners/partner-team'
import type { PartnerView } from '@atrium/core/partners/partners'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { problemOf } from '@atrium/ui/problem'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useChangeStaffAccess, useRemoveStaff } from './mutations.ts'

const t = translations('operator.partners')

/** Changes the access level of a person on the staff, or removes the person after a question. */
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
          done(t('staff.access.done', { person: saved.name, access: accessLabel(access).name })),
      },
    )
  }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap" align="flex-start">
      <NativeSelect
        size="xs"
        aria-label={t('staff.access.of', { person: person.name })}
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
        aria-label={t('staff.remove.label', { person: person.name })}
      >
        {t('staff.remove.action')}
      </Button>
      <ConfirmDialog
        opened={removing}
        onClose={() => setRemoving(false)}
        title={t('staff.remove.question', { person: person.name })}
        confirmLabel={t('staff.remove.submit')}
        onConfirm={async () => {
          await remove.mutateAsync(path)
          done(t('staff.remove.done', { person: person.name, partner: partner.name }))
        }}
      >
        {t('staff.remove.effects', {
          person: person.name,
          email: person.email,
          partner: partner.name,
        })}
      </ConfirmDialog>
    </Group>
  )
}
