import { minorUnitDigits } from '@atrium/core/billing/minor-units'
import { CreateAdjustment as Schema } from '@atrium/core/billing/payouts'
import { done } from '@atrium/ui/done'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Button, Modal, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustments } from '@tabler/icons-react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { ReasonInput } from '../parts/reason-input.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useCreateAdjustment } from './mutations.ts'

const t = translations('operator.payouts')

interface Values {
  partnerSlug: string
  currency: string
  amount: number | string
  reason: string
}

/** The input of the call: the amount in whole minor units. */
function toInput({ amount, ...values }: Values) {
  const currency = values.currency.trim().toLowerCase()
  const digits = /^[a-z]{3}$/.test(currency) ? minorUnitDigits(currency) : 2
  const amountMinor = amount === '' ? undefined : Math.round(Number(amount) * 10 ** digits)
  return { ...values, currency, amountMinor }
}

/** Shows errors of the minor units on the amount field. */
function validate(values: Values): Record<string, string> {
  const { amountMinor, ...errors } = validateAs<Values>(Schema, toInput)(values)
  return amountMinor === undefined ? errors : { ...errors, amount: amountMinor }
}

/** Enters goodwill or a correction in a partner's ledger by hand. */
export function CreateAdjustment() {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconAdjustments size={17} aria-hidden />}
        onClick={open}
      >
        {t('adjustments.create.action')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('adjustments.create.action')} size="md">
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
          t(state === 'pending' ? 'adjustments.create.pending' : 'adjustments.entered', {
            amount,
            partner: partnerSlug,
          }),
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
          label={t('adjustments.create.partner')}
          placeholder={t('adjustments.create.partnerPlaceholder')}
          withAsterisk
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('partnerSlug')}
        />
        <TextInput
          label={t('adjustments.create.currency')}
          withAsterisk
          maxLength={3}
          autoCapitalize="none"
          {...form.getInputProps('currency')}
        />
        <NumberInput
          label={t('adjustments.create.amount')}
          description={t('adjustments.create.amountHint')}
          withAsterisk
          decimalScale={3}
          hideControls
          {...form.getInputProps('amount')}
        />
        <ReasonInput
          label={t('adjustments.create.reason')}
          description={t('adjustments.create.reasonHint')}
          {...form.getInputProps('reason')}
        />
        <FormFooter
          error={create.error}
          submitLabel={t('adjustments.create.submit')}
          pending={create.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
