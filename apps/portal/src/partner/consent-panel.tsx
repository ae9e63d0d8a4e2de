import { ConfirmDialog } from '@atrium/ui/confirm'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFileCertificate } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { explain } from './status-meta.ts'
import { mayDo, usePartner } from './use-partner.ts'

const t = translations('portal.partner-earnings')

/**
 * Asks for the consent to self-billing, without which nothing is paid out. Hidden once it is given.
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
    <Alert color="yellow" icon={<IconFileCertificate aria-hidden />} title={t('consent.title')}>
      <Text size="sm" mb="sm" maw="70ch">
        {t('consent.hint', { partner: partner.name })}
      </Text>
      {mayDo(partner, 'manageStaff') ? (
        <Button size="xs" onClick={open}>
          {t('consent.open')}
        </Button>
      ) : (
        <Text size="sm">{t('consent.ownersOnly')}</Text>
      )}
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t('consent.question')}
        confirmLabel={t('consent.submit')}
        destructive={false}
        explain={explain}
        onConfirm={async () => {
          await agree.mutateAsync({ slug: partner.slug, agreed: true })
          done(t('consent.done'))
        }}
      >
        {t('consent.effects')}
      </ConfirmDialog>
    </Alert>
  )
}
