import type { SuspensionMode, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import SuspensionModeChoice from '@atrium/ui/suspension-mode'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLock, IconLockOpen } from '@tabler/icons-react'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useInvalidatePartner } from './mutations.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

const t = translations('portal.partner-customers')

/** Suspends a customer or ends its suspension, after a question. */
export function CustomerActions({ tenant }: { tenant: TenantView }) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useInvalidatePartner()
  const [mode, setMode] = useState<SuspensionMode>('no_sign_in')
  const [requested, { open, close }] = useDisclosure(false)
  const suspend = useMutation(trpc.partners.suspendCustomer.mutationOptions({ onSettled: forget }))
  const resume = useMutation(trpc.partners.resumeCustomer.mutationOptions({ onSettled: forget }))
  const suspended = tenant.status === 'suspended'
  const customer = tenant.name
  const path = { slug: partner.slug, tenantSlug: tenant.slug }
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm" c="dimmed">
        {suspended ? t('resume.hint') : t('suspend.hint')}
      </Text>
      <Button
        variant="default"
        {...(suspended ? {} : { c: 'red' })}
        leftSection={
          suspended ? <IconLockOpen size={17} aria-hidden /> : <IconLock size={17} aria-hidden />
        }
        onClick={open}
      >
        {suspended ? t('resume.submit') : t('suspend.submit')}
      </Button>
      <ConfirmDialog
        opened={requested}
        onClose={close}
        title={suspended ? t('resume.question', { customer }) : t('suspend.question', { customer })}
        confirmLabel={suspended ? t('resume.submit') : t('suspend.submit')}
        destructive={!suspended}
        reason="optional"
        explain={explain}
        onConfirm={async (reason) => {
          await (suspended
            ? resume.mutateAsync({ ...path, reason })
            : suspend.mutateAsync({ ...path, reason, mode }))
          done(suspended ? t('resume.done', { customer }) : t('suspend.done', { customer }))
        }}
      >
        {suspended ? (
          t('resume.effects', { customer })
        ) : (
          <Stack gap="md">
            <SuspensionModeChoice value={mode} onChange={setMode} />
            <Text size="sm">{t('suspend.effects', { customer })}</Text>
          </Stack>
        )}
      </ConfirmDialog>
    </Stack>
  )
}
