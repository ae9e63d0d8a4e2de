import type { TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { ReleaseDomainsChoice, releasable } from '@atrium/ui/release-domains'
import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useDeleteTenant } from './mutations.ts'

export function DeleteTenantPanel({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const remove = useDeleteTenant()
  const { slug, name } = tenant
  const domains = useQuery(useTRPC().domains.list.queryOptions({ slug }, { enabled: opened }))
  const [release, setRelease] = useState(false)
  const show = () => {
    setRelease(false)
    open()
  }
  return (
    <Panel title="Delete tenant" description="Closes the tenant. It can be restored for a while.">
      <Button
        variant="outline"
        color="red"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconTrash size={17} aria-hidden />}
        onClick={show}
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
          await remove.mutateAsync({ slug, ...(release ? { releaseDomains: true } : {}) })
          done(`${name} is deleted.`)
        }}
      >
        <Text inherit mb={6}>
          What happens to {name} and{' '}
          {tenant.memberCount === 1 ? 'its one member' : `its ${tenant.memberCount} members`}:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>
            Members cannot sign in any more, and mailboxes, files and apps are closed. You can
            restore all of it for a while.
          </List.Item>
          <List.Item>
            A running subscription ends at once and nothing more is charged. What was paid for the
            rest of its period becomes credit of the tenant; an open invoice stays due.
          </List.Item>
          <List.Item>
            {release
              ? `The slug ${slug} stays taken.`
              : `The slug ${slug} and its domains stay taken, and mail keeps arriving.`}
          </List.Item>
        </List>
        <ReleaseDomainsChoice
          domains={releasable(domains.data?.items)}
          checked={release}
          onChange={setRelease}
        />
      </ConfirmDialog>
    </Panel>
  )
}
