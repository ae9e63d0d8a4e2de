import type { SuspensionMode, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { translations } from '@atrium/ui/messages'
import { Button, Group, List, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { useResumeTenant, useSuspendTenant } from './mutations.ts'
import { RestoreTenant } from './restore-tenant.tsx'

const t = translations('operator.tenants')

const SuspensionModeChoice = lazyOnInput(() => import('@atrium/ui/suspension-mode'))

/** Actions on the tenant as a whole: suspend, resume and restore. */
export function TenantActions({ tenant }: { tenant: TenantView }) {
  // The name of the open dialog, not a boolean: when the tenant's status changes meanwhile, the
  // dialog must not turn into the other one.
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
      title={t('suspend.question', { tenant: name })}
      confirmLabel={t('suspend.submit')}
      reason="optional"
      reasonNote={t('suspend.reasonNote')}
      onConfirm={async (reason) => {
        await suspend.mutateAsync({ slug, reason, mode })
        done(t('suspend.done', { tenant: name }))
      }}
    >
      <Stack gap="md">
        <SuspensionModeChoice value={mode} onChange={setMode} />
        <List size="sm" spacing={4}>
          <List.Item>{t('suspend.effects.members', { count: tenant.memberCount })}</List.Item>
          <List.Item>{t('suspend.effects.changes')}</List.Item>
          <List.Item>{t('suspend.effects.booking')}</List.Item>
        </List>
      </Stack>
    </ConfirmDialog>
  )
  if (tenant.status === 'deleted') return <RestoreTenant tenant={tenant} />
  return tenant.status === 'suspended' ? (
    <Group gap="xs">
      <Button variant="default" onClick={() => ask('suspend')}>
        {t('suspend.changeMode')}
      </Button>
      <Button leftSection={<IconPlayerPlay size={17} aria-hidden />} onClick={() => ask('resume')}>
        {t('resume.action')}
      </Button>
      {suspendDialog}
      <ConfirmDialog
        opened={opened === 'resume'}
        onClose={close}
        title={t('resume.question', { tenant: name })}
        confirmLabel={t('resume.submit')}
        destructive={false}
        reason="optional"
        onConfirm={async (reason) => {
          await resume.mutateAsync({ slug, reason })
          done(t('resume.done', { tenant: name }))
        }}
      >
        <Text inherit>{t('resume.effects')}</Text>
      </ConfirmDialog>
    </Group>
  ) : (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPause size={17} aria-hidden />}
        onClick={() => ask('suspend')}
      >
        {t('suspend.action')}
      </Button>
      {suspendDialog}
    </>
  )
}
