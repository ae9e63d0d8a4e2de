import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFileCertificate } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { explain } from './status-meta.ts'
import { mayDo, usePartner } from './use-partner.ts'

/**
 * Without this nothing is paid out, so it is asked for where the money is; nothing is shown once it
 * is given.
 */
export function ConsentPanel({ agreedAt }: { agreedAt: string | null }) {
  const partner = usePartner()
  const [opened, { open, close }] = useDisclosure(false)
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries(trpc.payouts.pathFilter())
  const agree = useMutation(trpc.payouts.consent.mutationOptions({ onSettled }))
  if (agreedAt !== null) return null
  return (
    <Alert
      color="yellow"
      icon={<IconFileCertificate aria-hidden />}
      title="Payouts wait for your agreement"
    >
      <Text size="sm" mb="sm" maw="70ch">
        The platform writes the statements about your share for you (self-billing). It may do so
        once an owner of {partner.name} agrees; until then payouts are held.
      </Text>
      {mayDo(partner, 'manageStaff') ? (
        <Button size="xs" onClick={open}>
          Agree to self-billing
        </Button>
      ) : (
        <Text size="sm">An owner of the partner can do that here.</Text>
      )}
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Agree to self-billing?"
        confirmLabel="Agree"
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          await agree.mutateAsync({ slug: partner.slug, agreed: true })
          done('Payouts can be made now.')
        }}
      >
        The platform issues the statements of your payouts on your behalf, each with a number from
        your own series. You write no invoices for your share yourself.
      </ConfirmDialog>
    </Alert>
  )
}
