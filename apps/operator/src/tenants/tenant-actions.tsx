import type { SuspensionMode, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { useResumeTenant, useSuspendTenant } from './mutations.ts'
import { RestoreTenant } from './restore-tenant.tsx'

const SuspensionModeChoice = lazyOnInput(() => import('@atrium/ui/suspension-mode'))

/**
 * Suspending and resuming, which concern the tenant as a whole; every other act stands beside what
 * it changes.
 */
export function TenantActions({ tenant }: { tenant: TenantView }) {
  // Named, not yes or no: the tenant may change under an open dialog, which must not turn into the
  // other one.
  const [opened, setOpened] = useState<'suspend' | 'resume'>()
  const suspend = useSuspendTenant()
  const resume = useResumeTenant()
  const { slug, name } = tenant
  const close = () => setOpened(undefined)
  const [mode, setMode] = useState<SuspensionMode>('no_sign_in')
  const ask = (act: 'suspend' | 'resume') => {
    setMode(tenant.suspensionMode === 'no_sign_in' ? 'read_only' : 'no_sign_in')
    setOpened(act)
  }
  const suspendDialog = (
    <ConfirmDialog
      opened={opened === 'suspend'}
      onClose={close}
      title={`Suspend ${name}?`}
      confirmLabel="Suspend tenant"
      reason="optional"
      reasonNote="Members see it, and it is kept in the audit log."
      onConfirm={async (reason) => {
        await suspend.mutateAsync({ slug, reason, mode })
        done(`${name} is suspended.`)
      }}
    >
      <Stack gap="md">
        <SuspensionModeChoice value={mode} onChange={setMode} />
        <List size="sm" spacing={4}>
          <List.Item>
            {tenant.memberCount === 1
              ? 'Its one member is'
              : `Its ${tenant.memberCount} members are`}{' '}
            affected in every system within minutes.
          </List.Item>
          <List.Item>
            Changes are rejected. Admins can still suspend, sign out and remove members and reset
            passwords.
          </List.Item>
          <List.Item>Public booking pages are not found. Billing goes on.</List.Item>
        </List>
      </Stack>
    </ConfirmDialog>
  )
  if (tenant.status === 'deleted') return <RestoreTenant tenant={tenant} />
  return tenant.status === 'suspended' ? (
    <Group gap="xs">
      <Button variant="default" onClick={() => ask('suspend')}>
        Change mode
      </Button>
      <Button leftSection={<IconPlayerPlay size={17} aria-hidden />} onClick={() => ask('resume')}>
        Resume
      </Button>
      {suspendDialog}
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
        <Text inherit>
          Members can sign in and change things again, mailboxes and files open, and public booking
          pages come back. Members who were suspended one by one stay suspended.
        </Text>
      </ConfirmDialog>
    </Group>
  ) : (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={17} aria-hidden />}
        onClick={() => ask('suspend')}
      >
        Suspend
      </Button>
      {suspendDialog}
    </>
  )
}
