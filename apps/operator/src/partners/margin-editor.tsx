import { type PartnerView, UpdatePartner } from '@atrium/core/partners/partners'
import { done } from '@atrium/ui/done'
import { formatDay, formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { z } from 'zod'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useUpdatePartner } from './mutations.ts'

const t = translations('operator.partners')

interface Props {
  partner: PartnerView
  /** The partner never had a dated margin: its first one may apply from today. */
  first: boolean
  onClose: () => void
}

interface Values {
  marginPct: number | string
  marginEffectiveFrom: string
  reason: string
}

const monthsAhead = 12

/** The days from which a margin can apply, in UTC, like the server. */
export function marginDays(now: Date, first: boolean): string[] {
  const months = Array.from(
    { length: monthsAhead },
    (_, n) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + n + 1, 1)),
  )
  return [...(first ? [now] : []), ...months].map((day) => day.toISOString().slice(0, 10))
}

/** A margin with its first day as a form. */
export function MarginEditor({ partner, first, onClose }: Props) {
  const update = useUpdatePartner()
  const days = marginDays(new Date(), first)
  const toInput = ({
    marginPct,
    marginEffectiveFrom,
    reason,
  }: Values): z.input<typeof UpdatePartner> => ({
    slug: partner.slug,
    marginPct: Number(marginPct),
    marginEffectiveFrom,
    ...(reason.trim() === '' ? {} : { reason }),
  })
  const form = useForm<Values>({
    initialValues: {
      marginPct: partner.nextMargin?.marginPct ?? partner.marginPct ?? 0,
      marginEffectiveFrom: days[0] ?? '',
      reason: '',
    },
    validate: validateAs(UpdatePartner, toInput),
  })
  const { onInvalid, onRejected } = rejections(form)
  const save = form.onSubmit(
    (values) =>
      update.mutate(toInput(values), {
        onSuccess: (saved) => {
          done(
            t('margins.set.done', {
              partner: saved.name,
              margin: formatPercent(Number(values.marginPct)),
              day: formatDay(values.marginEffectiveFrom),
            }),
          )
          onClose()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <NumberInput
          label={t('fields.margin')}
          withAsterisk
          data-autofocus
          min={0}
          max={100}
          decimalScale={2}
          {...form.getInputProps('marginPct')}
        />
        <NativeSelect
          label={t('margins.set.from')}
          description={t('margins.set.fromHint')}
          data={days.map((day, index) => ({
            value: day,
            label:
              first && index === 0
                ? t('margins.set.today', { day: formatDay(day) })
                : formatDay(day),
          }))}
          {...form.getInputProps('marginEffectiveFrom')}
        />
        <TextInput
          label={t('margins.set.reason')}
          description={t('margins.set.reasonHint')}
          maxLength={500}
          {...form.getInputProps('reason')}
        />
        <FormFooter
          error={update.error}
          submitLabel={t('margins.set.submit')}
          pending={update.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
