import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { translations } from './messages.ts'

const t = translations('ui.frame')

interface Props {
  onStay: () => void
  onLeave: () => void
}

/**
 * Asks before a form with unsaved changes is left. Staying is the first and the safe choice, also
 * by Escape.
 */
export default function LeaveDialog({ onStay, onLeave }: Props) {
  return (
    <Modal opened onClose={onStay} title={t('form.leaveTitle')} size="md">
      <Stack>
        <Text size="sm">{t('form.leaveText')}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onStay} data-autofocus>
            {t('form.keepEditing')}
          </Button>
          <Button color="red" onClick={onLeave}>
            {t('form.leave')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
