import type { SuspensionMode, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
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

/** Suspends a customer or ends its suspension, after a question. */
export function CustomerActions({ tenant }: { tenant: TenantView }) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useInvalidatePartner()
  const [mode, setMode] = useState<SuspensionMode>('no_sign_in')
  const [asked, { open, close }] = useDisclosure(false)
  const suspend = useMutation(trpc.partners.suspendCustomer.mutationOptions({ onSettled: forget }))
  const resume = useMutation(trpc.partners.resumeCustomer.mutationOptions({ onSettled: forget }))
  const suspended = tenant.status === 'suspended'
  const path = { slug: partner.slug, tenantSlug: tenant.slug }
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm" c="dimmed">
        {suspended
          ? 'Ends the suspension: mailboxes and files open, members can be changed again, and booking pages come back.'
          : 'A suspended customer keeps everything and can change nothing. Choose whether its members can still sign in and read.'}
      </Text>
      <Button
        variant="default"
        {...(suspended ? {} : { c: 'red' })}
        leftSection={
          suspended ? <IconLockOpen size={17} aria-hidden /> : <IconLock size={17} aria-hidden />
        }
        onClick={open}
      >
        {suspended ? 'Resume customer' : 'Suspend customer'}
      </Button>
      <ConfirmDialog
        opened={asked}
        onClose={close}
        title={suspended ? `Resume ${tenant.name}?` : `Suspend ${tenant.name}?`}
        confirmLabel={suspended ? 'Resume customer' : 'Suspend customer'}
        destructive={!suspended}
        reason="optional"
        explain={explain}
        onConfirm={async (reason) => {
          await (suspended
            ? resume.mutateAsync({ ...path, reason })
            : suspend.mutateAsync({ ...path, reason, mode }))
          done(suspended ? `${tenant.name} runs again.` : `${tenant.name} is suspended.`)
        }}
      >
        {suspended ? (
          `Members of ${tenant.name} can sign in and change things again. Members who were suspended one by one stay suspended.`
        ) : (
          <Stack gap="md">
            <SuspensionModeChoice value={mode} onChange={setMode} />
            <Text size="sm">
              Public booking pages are closed until {tenant.name} is resumed. Nothing is deleted,
              and what it owes stays due. The customer sees the reason.
            </Text>
          </Stack>
        )}
      </ConfirmDialog>
    </Stack>
  )
}
