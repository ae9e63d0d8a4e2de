import type { TenantView } from '@atrium/core/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { Button, List, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { useResumeTenant, useSuspendTenant } from './mutations.ts'

/** Suspending and resuming, which concern the tenant as a whole; every other act stands beside what it changes. */
export function TenantActions({ tenant }: { tenant: TenantView }) {
  // Named, not yes or no: the tenant may change under an open dialog, which must not turn into the other one.
  const [opened, setOpened] = useState<'suspend' | 'resume'>()
  const suspend = useSuspendTenant()
  const resume = useResumeTenant()
  const { slug, name } = tenant
  const close = () => setOpened(undefined)
  if (tenant.status === 'deleted') return null
  return tenant.status === 'suspended' ? (
    <>
      <Button leftSection={<IconPlayerPlay size={17} aria-hidden />} onClick={() => setOpened('resume')}>
        Resume
      </Button>
      <ConfirmDialog
        opened={opened === 'resume'}
        onClose={close}
        title={`Resume ${name}?`}
        confirmLabel="Resume tenant"
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          await resume.mutateAsync({ slug, reason })
          done(`${name} is resumed.`)
        }}
      >
        Members can change things again, and public booking pages come back. The tenant is active when every provisioning step is done, and
        is set up further when one is not.
      </ConfirmDialog>
    </>
  ) : (
    <>
      <Button variant="default" leftSection={<IconPlayerPause size={17} aria-hidden />} onClick={() => setOpened('suspend')}>
        Suspend
      </Button>
      <ConfirmDialog
        opened={opened === 'suspend'}
        onClose={close}
        title={`Suspend ${name}?`}
        confirmLabel="Suspend tenant"
        reason="optional"
        onConfirm={async (reason) => {
          await suspend.mutateAsync({ slug, reason })
          done(`${name} is suspended.`)
        }}
      >
        <Text inherit mb={6}>
          What happens to {tenant.memberCount === 1 ? 'its one member' : `its ${tenant.memberCount} members`}:
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>Changes to members, domains and apps are refused.</List.Item>
          <List.Item>Public booking pages are not found.</List.Item>
          <List.Item>Reading and billing go on. Mail and files are not touched.</List.Item>
          <List.Item>Members see the reason that you give here.</List.Item>
        </List>
      </ConfirmDialog>
    </>
  )
}
