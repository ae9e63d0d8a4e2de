import { Button, Group, Modal, Stack, Text } from '@mantine/core'

interface Props {
  onStay: () => void
  onLeave: () => void
}

/**
 * Asks before a form with unsaved changes is left. Staying is the first and the safe answer, also
 * by Escape.
 */
export default function LeaveDialog({ onStay, onLeave }: Props) {
  return (
    <Modal opened onClose={onStay} title="Leave without saving?" size="md">
      <Stack>
        <Text size="sm">What you changed here is not saved and will be lost.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onStay} data-autofocus>
            Keep editing
          </Button>
          <Button color="red" onClick={onLeave}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
