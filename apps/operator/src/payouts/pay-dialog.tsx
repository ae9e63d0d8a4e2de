import { type PayoutDetail, PayPayout } from '@atrium/core/billing/payouts'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { usePayoutMoves } from './mutations.ts'

interface Props {
  payout: PayoutDetail
  opened: boolean
  onClose: () => void
}

/** Notes that the money arrived, with the reference under which the bank knows it. */
export function PayDialog({ payout, opened, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Is ${formatMoney(payout.amountMinor, payout.currency)} paid?`}
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
          done(`The payout is paid, statement ${statementNumber}.`)
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
            <List.Item>The ledger of {partnerName} is charged with the amount.</List.Item>
            <List.Item>The statement gets its number and stays as it is.</List.Item>
            <List.Item>The partner is told by mail.</List.Item>
          </List>
        </Text>
        <TextInput
          label="Reference"
          description="What the bank calls the transfer. The partner sees it."
          placeholder="SEPA 2027-03-02 4711"
          withAsterisk
          maxLength={140}
          data-autofocus
          {...form.getInputProps('reference')}
        />
        <FormFooter
          error={pay.error}
          submitLabel="Note it as paid"
          pending={pay.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
