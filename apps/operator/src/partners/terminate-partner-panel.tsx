import type { PartnerView } from '@atrium/core/partners/partners'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCircleOff } from '@tabler/icons-react'
import { useTerminatePartner } from './mutations.ts'

const t = translations('operator.partners')

export function TerminatePartnerPanel({ partner }: { partner: PartnerView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const terminate = useTerminatePartner()
  const { slug, name, customers } = partner
  return (
    <Panel title={t('terminate.title')} description={t('terminate.description')}>
      <Button
        variant="outline"
        color="red"
        leftSection={<IconCircleOff size={17} aria-hidden />}
        onClick={open}
      >
        {t('terminate.submit')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('terminate.question', { partner: name })}
        confirmLabel={t('terminate.submit')}
        typedWord={slug}
        reason="optional"
        onConfirm={async (reason) => {
          await terminate.mutateAsync({ slug, reason })
          done(t('terminate.done', { partner: name }))
        }}
      >
        <Text inherit mb={6}>
          {t('terminate.effects.lead')}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{t('terminate.effects.staff')}</List.Item>
          <List.Item>{t('terminate.effects.customers', { count: customers })}</List.Item>
          <List.Item>{t('terminate.effects.earnings')}</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
