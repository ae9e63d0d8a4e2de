import { type FlagView, killSwitchNote, recentUseDays } from '@atrium/core/flags/flags'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPower, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useRemoveFlag, useUpdateFlag } from './mutations.ts'

const t = translations('operator.flags')

/**
 * Turns the flag off for everyone. Confirms once and needs no reason: the operator is in a hurry.
 */
export function KillFlag({ flag }: { flag: FlagView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const update = useUpdateFlag()
  const { key, requiredBy } = flag
  if (flag.state === 'off') return null
  return (
    <>
      <Button color="red" leftSection={<IconPower size={17} aria-hidden />} onClick={open}>
        {t('kill.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('kill.title', { key })}
        confirmLabel={t('kill.confirm')}
        onConfirm={async () => {
          await update.mutateAsync({ key, state: 'off', note: killSwitchNote })
          done(t('kill.done', { key }))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('kill.effects.off')}</List.Item>
          {requiredBy.length > 0 && (
            <List.Item>
              {t('kill.effects.dependents', {
                flags: formatList(requiredBy),
                count: requiredBy.length,
              })}
            </List.Item>
          )}
          <List.Item>{t('kill.effects.kept')}</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}

export function RemoveFlagPanel({ flag }: { flag: FlagView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const remove = useRemoveFlag()
  const { key } = flag
  return (
    <Panel title={t('remove.action')} description={t('remove.hint', { days: recentUseDays })}>
      <Button
        variant="outline"
        color="red"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconTrash size={17} aria-hidden />}
        onClick={open}
      >
        {t('remove.action')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('remove.title', { key })}
        confirmLabel={t('remove.action')}
        typedWord={key}
        reason="optional"
        onConfirm={async (note) => {
          await remove.mutateAsync({ key, note })
          done(t('remove.done', { key }))
          await navigate({ to: '/flags' })
        }}
      >
        <Text inherit mb={6}>
          {t('remove.whatHappens')}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{t('remove.effects.off')}</List.Item>
          <List.Item>{t('remove.effects.kept')}</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
