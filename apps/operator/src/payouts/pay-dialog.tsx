import { type PayoutDetail, PayPayout } from '@atrium/core/billing/payouts'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { usePayoutMoves } from './mutations.ts'

const t = translations('operator.payouts')

interface Props {
  payout: PayoutDetail
  opened: boolean
  onClose: () => void
}

/** Marks the payout as paid, with the bank's reference of the transfer. */
export function PayDialog({ payout, opened, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('pay.title', { amount: formatMoney(payout.amountMinor, payout.currency) })}
      size="md"
    >
      {opened && <PayForm payout={payout} onClose={onClose} />}
    </Modal>
  )
}

function PayForm({ payout, onClose }: Omit<Props, 'opened'>) {
  const { pay } = usePayoutMoves()
  const { id, version, partnerName } = payout
  const form = useForm({
    initialValues: { reference: '' },
    validate: validateAs<{ reference: string }>(PayPayout, ({ reference }) => ({
      id,
      version,
      reference,
    })),
  })
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit(({ reference }) => {
    pay.mutate(
      { id, version, reference },
      {
        onSuccess: ({ statementNumber }) => {
          done(t('pay.done', { number: statementNumber ?? '' }))
          onClose()
        },
        onError: onRejected,
      },
    )
  }, onInvalid)
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <Text size="sm" component="div">
          <List size="sm" spacing={4}>
            <List.Item>{t('pay.effects.ledger', { partner: partnerName })}</List.Item>
            <List.Item>{t('pay.effects.statement')}</List.Item>
            <List.Item>{t('pay.effects.mail')}</List.Item>
          </List>
        </Text>
        <TextInput
          label={t('pay.reference')}
          description={t('pay.referenceHint')}
          placeholder="SEPA 2027-03-02 4711"
          withAsterisk
          maxLength={140}
          data-autofocus
          {...form.getInputProps('reference')}
        />
        <FormFooter
          error={pay.error}
          submitLabel={t('pay.submit')}
          pending={pay.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
