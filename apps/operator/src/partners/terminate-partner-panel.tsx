import type { PartnerView } from '@atrium/core/partners/partners'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCircleOff } from '@tabler/icons-react'
import { useTerminatePartner } from './mutations.ts'

export function TerminatePartnerPanel({ partner }: { partner: PartnerView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const terminate = useTerminatePartner()
  const { slug, name, customers } = partner
  return (
    <Panel
      title="Terminate partner"
      description="Permanently ends the partnership. Suspend the partner instead if you may need it again."
    >
      <Button
        variant="outline"
        color="red"
        leftSection={<IconCircleOff size={17} aria-hidden />}
        onClick={open}
      >
        Terminate partner
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Terminate ${name}?`}
        confirmLabel="Terminate partner"
        typedWord={slug}
        reason="optional"
        onConfirm={async (reason) => {
          await terminate.mutateAsync({ slug, reason })
          done(`${name} is terminated.`)
        }}
      >
        <Text inherit mb={6}>
          What happens, and cannot be undone:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>Its staff lose access at once.</List.Item>
          <List.Item>
            {customers === 1 ? 'Its one customer keeps' : `Its ${customers} customers keep`}{' '}
            running, and the reference to it.
          </List.Item>
          <List.Item>
            It earns nothing from invoices that come later. What it earned stays payable.
          </List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
