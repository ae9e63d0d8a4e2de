import type { TenantView } from '@atrium/core/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { useDeleteTenant } from './mutations.ts'

export function DeleteTenantPanel({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const remove = useDeleteTenant()
  const { slug, name } = tenant
  return (
    <Panel title="Delete tenant" description="Shuts the tenant for good. Suspend it instead when it may come back.">
      <Button
        variant="outline"
        color="red"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconTrash size={17} aria-hidden />}
        onClick={open}
      >
        Delete tenant
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={`Delete ${name}?`}
        confirmLabel="Delete tenant"
        typedWord={slug}
        onConfirm={async () => {
          await remove.mutateAsync({ slug })
          done(`${name} is deleted.`)
        }}
      >
        <Text inherit mb={6}>
          What happens to {name} and {tenant.memberCount === 1 ? 'its one member' : `its ${tenant.memberCount} members`}:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>The tenant can no longer be used or changed, and it cannot be brought back here.</List.Item>
          <List.Item>
            A running subscription ends at once and nothing more is charged. What was paid for the rest of its period becomes credit of the
            tenant; an open invoice stays due.
          </List.Item>
          <List.Item>The slug {slug} and its domains stay taken.</List.Item>
          <List.Item>Mailboxes, files and identities stay as they are in their systems.</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}
