import {
  type CorrectInvoice,
  type CreditDestination,
  creditDestination,
  creditReason,
  creditReasons,
  CorrectInvoice as Schema,
} from '@atrium/core/billing/invoice-corrections'
import type { OperatorInvoiceDetail } from '@atrium/core/billing/operator-invoices'
import { splitUpstreamMessage } from '@atrium/core/platform/upstream-messages'
import { done } from '@atrium/ui/done'
import { formatMoney, fromMoneyInput, toMoneyInput } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { ReasonInput } from '../parts/reason-input.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { correctionName } from './labels.ts'
import { useCorrectInvoice } from './mutations.ts'

const t = translations('operator.invoices')

export type CorrectionAct = CorrectInvoice['kind']

interface Values {
  amount: string
  destination: CreditDestination | ''
  category: string
  reference: string
  paidOn: string
  reason: string
}

interface Props {
  invoice: OperatorInvoiceDetail
  act: CorrectionAct
  onClose: () => void
}

/** What the dialog asks for, and what follows from it. Mounted with each opening. */
export function CorrectionForm({ invoice, act, onClose }: Props) {
  const correct = useCorrectInvoice()
  // One correction, however often it is sent: a second click or a lost answer makes no second one.
  const [requestId] = useState(() => crypto.randomUUID())
  const { id, currency, allowedCorrections: allowed } = invoice
  const places = allowed.destinations.filter(({ maxMinor }) => maxMinor > 0)
  const paid = act === 'credit' && allowed.dueReductionMinor === 0
  const most = (destination: Values['destination']) =>
    paid
      ? (places.find((place) => place.destination === destination)?.maxMinor ?? 0)
      : allowed.dueReductionMinor
  const first = places[0]?.destination ?? ''
  const toInput = (values: Values) => ({
    id,
    requestId,
    kind: act,
    reason: values.reason,
    ...(act === 'credit' && {
      amountMinor: fromMoneyInput(values.amount, currency),
      ...(paid && { destination: values.destination }),
      ...(values.category !== '' && { category: creditReason.parse(values.category) }),
    }),
    ...(act === 'transfer' && {
      amountMinor: allowed.transferMinor,
      reference: values.reference,
      paidOn: values.paidOn,
    }),
  })
  const form = useForm<Values>({
    initialValues: {
      amount: act === 'credit' ? toMoneyInput(most(paid ? first : ''), currency) : '',
      destination: paid ? first : '',
      category: '',
      reference: '',
      paidOn: '',
      reason: '',
    },
    validate: (values) => {
      const { amountMinor, ...errors } = validateAs<Values>(Schema, toInput)(values)
      return amountMinor === undefined
        ? errors
        : { ...errors, amount: t('correct.amountUnreadable') }
    },
  })
  const { onInvalid, onRejected } = rejections(form, { amountMinor: 'amount' })
  const [failure, setFailure] = useState<Error>()
  const send = form.onSubmit((values) => {
    setFailure(undefined)
    correct.mutate(Schema.parse(toInput(values)), {
      onSuccess: (made) => {
        if (made.state === 'failed') {
          setFailure(new Error(made.error ?? t('corrections.states.failed')))
          return
        }
        done(t(`corrections.outcomes.${made.state}`, { what: correctionName(made) }))
        onClose()
      },
      onError: onRejected,
    })
  }, onInvalid)
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <Text size="sm">
          {paid ? t('correct.credit.hintPaid') : t(`correct.${act}.hint`, { due: dueOf(invoice) })}
        </Text>
        {paid && (
          <Radio.Group
            label={t('correct.destination')}
            {...form.getInputProps('destination')}
            onChange={(value) => {
              const destination = creditDestination.parse(value)
              form.setValues({ destination, amount: toMoneyInput(most(destination), currency) })
            }}
          >
            <Stack gap="xs" mt="xs">
              {places.map(({ destination, maxMinor }) => (
                <Radio
                  key={destination}
                  value={destination}
                  label={t(`correct.destinations.${destination}.label`)}
                  description={t(`correct.destinations.${destination}.hint`, {
                    most: formatMoney(maxMinor, currency),
                  })}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {act === 'credit' && (
          <>
            <TextInput
              label={t('correct.amount', { currency: currency.toUpperCase() })}
              description={t('correct.amountHint', {
                most: formatMoney(most(form.values.destination), currency),
              })}
              inputMode="decimal"
              autoComplete="off"
              withAsterisk
              data-autofocus
              {...form.getInputProps('amount')}
            />
            <NativeSelect
              label={t('correct.category')}
              data={[
                { value: '', label: t('correct.categories.none') },
                ...creditReasons.map((value) => ({
                  value,
                  label: t(`correct.categories.${value}`),
                })),
              ]}
              {...form.getInputProps('category')}
            />
          </>
        )}
        {act === 'transfer' && (
          <>
            <TextInput
              label={t('correct.reference')}
              description={t('correct.referenceHint')}
              maxLength={140}
              withAsterisk
              data-autofocus
              {...form.getInputProps('reference')}
            />
            <TextInput
              label={t('correct.paidOn')}
              type="date"
              withAsterisk
              {...form.getInputProps('paidOn')}
            />
          </>
        )}
        <ReasonInput
          label={t('correct.reason')}
          description={t('correct.reasonHint')}
          {...form.getInputProps('reason')}
        />
        <FormFooter
          error={failure ?? correct.error}
          {...(failure && { message: splitUpstreamMessage(failure.message).sentence })}
          submitLabel={t(paid ? 'correct.credit.submitPaid' : `correct.${act}.submit`)}
          pending={correct.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

function dueOf({ amountRemainingMinor, currency }: OperatorInvoiceDetail): string {
  return formatMoney(amountRemainingMinor, currency)
}
