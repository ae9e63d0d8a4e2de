import type { PartnerView } from '@atrium/core/partners/partners'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Button, List, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { useUpdatePartner } from './mutations.ts'

const t = translations('operator.partners')

/** Actions on the partner as a whole: suspend and resume. */
export function PartnerActions({ partner }: { partner: PartnerView }) {
  // The name of the open dialog, not a boolean: when the partner's status changes meanwhile, the
  // dialog must not turn into the other one.
  const [opened, setOpened] = useState<'suspend' | 'resume'>()
  const update = useUpdatePartner()
  const { slug, name } = partner
  const close = () => setOpened(undefined)
  if (partner.status === 'terminated') return null
  return partner.status === 'suspended' ? (
    <>
      <Button
        leftSection={<IconPlayerPlay size={17} aria-hidden />}
        onClick={() => setOpened('resume')}
      >
        {t('resume.action')}
      </Button>
      <ConfirmDialog
        opened={opened === 'resume'}
        onClose={close}
        title={t('resume.question', { partner: name })}
        confirmLabel={t('resume.submit')}
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          await update.mutateAsync({ slug, status: 'active', reason })
          done(t('resume.done', { partner: name }))
        }}
      >
        {t('resume.effects')}
      </ConfirmDialog>
    </>
  ) : (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={17} aria-hidden />}
        onClick={() => setOpened('suspend')}
      >
        {t('suspend.action')}
      </Button>
      <ConfirmDialog
        opened={opened === 'suspend'}
        onClose={close}
        title={t('suspend.question', { partner: name })}
        confirmLabel={t('suspend.submit')}
        reason="optional"
        onConfirm={async (reason) => {
          await update.mutateAsync({ slug, status: 'suspended', reason })
          done(t('suspend.done', { partner: name }))
        }}
      >
        <Text inherit mb={6}>
          {t('suspend.effects.lead')}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{t('suspend.effects.staff')}</List.Item>
          <List.Item>{t('suspend.effects.payouts')}</List.Item>
          <List.Item>{t('suspend.effects.customers')}</List.Item>
          <List.Item>{t('suspend.effects.reason')}</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}
