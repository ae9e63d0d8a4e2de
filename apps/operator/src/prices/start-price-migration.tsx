import {
  type PriceMigrationPreview,
  StartPriceMigration,
} from '@atrium/core/billing/price-migrations'
import { done } from '@atrium/ui/done'
import { formatDay } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { ReasonInput } from '../parts/reason-input.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { usePriceMigration } from './mutations.ts'

const t = translations('operator.prices')

interface Props {
  priceId: string
  /** The first day that can be chosen. */
  earliest: PriceMigrationPreview['earliest']
  onClose: () => void
}

interface Values {
  from: string
  mayKeep: boolean
  reason: string
}

/** Asks from which day the subscribers of a price move, whether they may decline, and why. */
export function StartPriceMigrationForm({ priceId, earliest, onClose }: Props) {
  const { start } = usePriceMigration()
  const toInput = (values: Values) => ({ id: priceId, ...values })
  const form = useForm<Values>({
    initialValues: { from: earliest, mayKeep: false, reason: '' },
    validate: validateAs<Values>(StartPriceMigration, toInput),
  })
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit((values) => {
    start.mutate(toInput(values), {
      onSuccess: () => {
        done(t('migration.start.done'))
        onClose()
      },
      onError: onRejected,
    })
  }, onInvalid)
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <Text size="sm">{t('migration.start.hint', { earliest: formatDay(earliest) })}</Text>
        <TextInput
          label={t('migration.start.from')}
          type="date"
          min={earliest}
          withAsterisk
          {...form.getInputProps('from')}
        />
        <Checkbox
          label={t('migration.start.mayKeep')}
          description={t('migration.start.mayKeepHint')}
          {...form.getInputProps('mayKeep', { type: 'checkbox' })}
        />
        <ReasonInput
          label={t('migration.start.reason')}
          description={t('migration.start.reasonHint')}
          {...form.getInputProps('reason')}
        />
        <FormFooter
          error={start.error}
          submitLabel={t('migration.start.submit')}
          pending={start.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
