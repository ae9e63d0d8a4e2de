import type { TenantView } from '@atrium/core/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLock, IconLockOpen } from '@tabler/icons-react'
import { useTRPC } from '../trpc.ts'
import { explain } from './looks.ts'
import { useForgetPartner } from './mutations.ts'
import { usePartner } from './use-partner.ts'

/** Suspends a customer or ends its suspension, after a question. */
export function CustomerActs({ tenant }: { tenant: TenantView }) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useForgetPartner()
  const [asked, { open, close }] = useDisclosure(false)
  const suspend = useMutation(trpc.partners.suspendCustomer.mutationOptions({ onSettled: forget }))
  const resume = useMutation(trpc.partners.resumeCustomer.mutationOptions({ onSettled: forget }))
  const suspended = tenant.status === 'suspended'
  const path = { slug: partner.slug, tenantSlug: tenant.slug }
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm" c="dimmed">
        {suspended
          ? 'Ends the suspension: members can be changed again, and booking pages come back.'
          : 'A suspended customer keeps mail and files and can read everything. Its members cannot be changed, and its public booking pages are closed.'}
      </Text>
      <Button
        variant="default"
        {...(suspended ? {} : { c: 'red' })}
        leftSection={suspended ? <IconLockOpen size={17} aria-hidden /> : <IconLock size={17} aria-hidden />}
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
          await (suspended ? resume : suspend).mutateAsync({ ...path, reason })
          done(suspended ? `${tenant.name} runs again.` : `${tenant.name} is suspended.`)
        }}
      >
        {suspended
          ? `${tenant.name} can be changed again at once.`
          : `Members, apps and public booking pages of ${tenant.name} cannot be changed or used until it is resumed. Nothing is deleted, and what it owes stays due. The customer sees the reason.`}
      </ConfirmDialog>
    </Stack>
  )
}
