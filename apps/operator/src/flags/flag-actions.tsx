import { askedWithinDays, type FlagView, killSwitchNote } from '@atrium/core/flags/flags'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPower, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useRemoveFlag, useUpdateFlag } from './mutations.ts'

/** Off for everybody, now. One confirmation and no more: whoever needs it is in a hurry. */
export function KillFlag({ flag }: { flag: FlagView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const update = useUpdateFlag()
  const { key, requiredBy } = flag
  if (flag.state === 'off') return null
  return (
    <>
      <Button color="red" leftSection={<IconPower size={17} aria-hidden />} onClick={open}>
        Kill
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Kill ${key}?`}
        confirmLabel="Kill flag"
        onConfirm={async () => {
          await update.mutateAsync({ key, state: 'off', note: killSwitchNote })
          done(`${key} is killed.`)
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>It is off for every tenant within seconds, on every server.</List.Item>
          {requiredBy.length > 0 && (
            <List.Item>
              {requiredBy.join(', ')} may change with it: they look at this flag.
            </List.Item>
          )}
          <List.Item>Percentage and lists are kept, so that it can come back as it was.</List.Item>
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
    <Panel
      title="Remove flag"
      description={`For flags that no code asks for any more. Refused while another flag needs it, and for ${askedWithinDays} days after code last asked for it by name.`}
    >
      <Button
        variant="outline"
        color="red"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconTrash size={17} aria-hidden />}
        onClick={open}
      >
        Remove flag
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Remove ${key}?`}
        confirmLabel="Remove flag"
        typedWord={key}
        reason="optional"
        onConfirm={async (note) => {
          await remove.mutateAsync({ key, note })
          done(`${key} is removed.`)
          await navigate({ to: '/flags' })
        }}
      >
        <Text inherit mb={6}>
          What happens:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>It is permanently off for everyone.</List.Item>
          <List.Item>Its history stays, and no other flag can have this key.</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
