import type { TransferOffer } from '@atrium/core/partners/transfers'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { useInvalidatePartner } from './mutations.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

const t = translations('portal.partner-customers')
const frame = translations('ui.frame')

interface Props {
  opened: boolean
  onClose: () => void
  onTaken: (slug: string) => void
}

/** Takes a customer over with the transfer code of its owner. */
export function TakeOverDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('takeOver.title')} size="md">
      {/* Mounted with each opening, so that no earlier code is left in it. */}
      {props.opened && <TakeOver {...props} />}
    </Modal>
  )
}

function TakeOver({ onClose, onTaken }: Props) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useInvalidatePartner()
  const [code, setCode] = useState('')
  const preview = useMutation(trpc.partnerTransfers.preview.mutationOptions())
  const accept = useMutation(
    trpc.partnerTransfers.accept.mutationOptions({
      onSuccess: ({ tenant }) => {
        forget()
        done(t('takeOver.done', { customer: tenant.name }))
        onTaken(tenant.slug)
      },
    }),
  )
  const offer = preview.data
  const error = accept.error ?? preview.error
  function submit(event: FormEvent) {
    event.preventDefault()
    const request = { slug: partner.slug, code }
    if (offer) accept.mutate(request)
    else preview.mutate(request)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {offer ? (
          <Offer offer={offer} />
        ) : (
          <TextInput
            label={t('takeOver.code')}
            description={t('takeOver.codeHint')}
            required
            data-autofocus
            maxLength={100}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {error && (
          <ProblemAlert title={t('takeOver.failed')} error={error} message={explain(error)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={accept.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={preview.isPending || accept.isPending}>
            {t(offer ? 'takeOver.submit' : 'takeOver.check')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Offer({ offer: { tenant, managedElsewhere } }: { offer: TransferOffer }) {
  return (
    <>
      <Text>{t('takeOver.offer', { customer: tenant.name, slug: tenant.slug })}</Text>
      {managedElsewhere && <Text size="sm">{t('takeOver.managedElsewhere')}</Text>}
      <Text size="sm" c="dimmed">
        {t('takeOver.effect')}
      </Text>
    </>
  )
}
