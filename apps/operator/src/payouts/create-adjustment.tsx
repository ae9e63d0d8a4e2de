import { minorUnitDigits } from '@atrium/core/billing/minor-units'
import { CreateAdjustment as Schema } from '@atrium/core/billing/payouts'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { Button, Modal, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustments } from '@tabler/icons-react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useCreateAdjustment } from './mutations.ts'

interface Values {
  partnerSlug: string
  currency: string
  amount: number | string
  reason: string
}

/** What the form sends: the amount in minor units, whole. */
function toInput({ amount, ...values }: Values) {
  const currency = values.currency.trim().toLowerCase()
  const digits = /^[a-z]{3}$/.test(currency) ? minorUnitDigits(currency) : 2
  const amountMinor = amount === '' ? undefined : Math.round(Number(amount) * 10 ** digits)
  return { ...values, currency, amountMinor }
}

/** Errors of what is sent stand on the fields that people see. */
function validate(values: Values): Record<string, string> {
  const { amountMinor, ...errors } = validateAs<Values>(Schema, toInput)(values)
  return amountMinor === undefined ? errors : { ...errors, amount: amountMinor }
}

/** Goodwill and corrections by hand, in a partner's ledger. */
export function CreateAdjustment() {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconAdjustments size={17} aria-hidden />}
        onClick={open}
      >
        Adjust a ledger
      </Button>
      <Modal opened={opened} onClose={close} title="Adjust a ledger" size="md">
        {opened && <AdjustmentForm onClose={close} />}
      </Modal>
    </>
  )
}

function AdjustmentForm({ onClose }: { onClose: () => void }) {
  const create = useCreateAdjustment()
  const form = useForm<Values>({
    initialValues: { partnerSlug: '', currency: 'eur', amount: '', reason: '' },
    validate,
  })
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit((values) => {
    const input = Schema.parse(toInput(values))
    create.mutate(input, {
      onSuccess: ({ state, amountMinor, currency, partnerSlug }) => {
        const amount = formatMoney(amountMinor, currency)
        done(
          state === 'pending'
            ? `${amount} for ${partnerSlug} wait for a second operator.`
            : `${amount} are in the ledger of ${partnerSlug}.`,
        )
        onClose()
      },
      onError: onRejected,
    })
  }, onInvalid)
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <TextInput
          label="Partner"
          placeholder="Slug of the partner"
          withAsterisk
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('partnerSlug')}
        />
        <TextInput
          label="Currency"
          withAsterisk
          maxLength={3}
          autoCapitalize="none"
          {...form.getInputProps('currency')}
        />
        <NumberInput
          label="Amount"
          description="Negative to take away. More than 1,000 in a day waits for a second operator."
          withAsterisk
          decimalScale={3}
          hideControls
          {...form.getInputProps('amount')}
        />
        <Textarea
          label="Reason"
          description="The partner reads it in its ledger."
          withAsterisk
          maxLength={500}
          autosize
          minRows={2}
          {...form.getInputProps('reason')}
        />
        <FormFooter
          error={create.error}
          submitLabel="Enter"
          pending={create.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
