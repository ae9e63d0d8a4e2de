import { plans } from '@atrium/core/billing/plans'
import { billingCycle, billingCycles } from '@atrium/core/billing/subscriptions'
import { plan as planOf } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import {
  Input,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useId } from 'react'
import { pricings, type SubscriptionForm } from './subscription-form.ts'

const t = translations('operator.subscriptions')

interface Props {
  form: UseFormReturnType<SubscriptionForm>
}

const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const cycleChoices = () => billingCycles.map((value) => ({ value, label: cycleName(value) }))

/** Plan, cycle and seats. */
export function PlanFields({ form }: Props) {
  const label = useId()
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('form.plan')}
          data={planChoices()}
          allowDeselect={false}
          withScrollArea={false}
          {...form.getInputProps('plan')}
          onChange={(value) => form.setFieldValue('plan', planOf.parse(value))}
        />
        <Input.Wrapper label={t('form.cycle')} labelProps={{ id: label }} labelElement="div">
          <SegmentedControl
            aria-labelledby={label}
            transitionDuration={0}
            fullWidth
            data={cycleChoices()}
            value={form.values.cycle}
            onChange={(value) => form.setFieldValue('cycle', billingCycle.parse(value))}
          />
        </Input.Wrapper>
      </SimpleGrid>
      <NumberInput
        label={t('form.seats')}
        description={t('form.seatsHint')}
        min={1}
        allowDecimal={false}
        {...form.getInputProps('seats')}
      />
    </Stack>
  )
}

/** What a manual one costs: the catalog price, or an agreed amount per seat or in total. */
export function PricingFields({ form }: Props) {
  const { pricing, currency, cycle } = form.values
  const label = useId()
  const choices = pricings.map((value) => ({ value, label: t(`form.pricings.${value}`) }))
  return (
    <Stack gap="sm">
      <Input.Wrapper label={t('form.amount')} labelProps={{ id: label }} labelElement="div">
        <SegmentedControl
          aria-labelledby={label}
          transitionDuration={0}
          fullWidth
          data={choices}
          value={pricing}
          onChange={(value) =>
            form.setFieldValue('pricing', pricings.find((one) => one === value) ?? 'catalog')
          }
        />
      </Input.Wrapper>
      {pricing !== 'catalog' && (
        <TextInput
          label={t(`form.${pricing === 'per_seat' ? 'amountPerSeat' : 'amountTotal'}.${cycle}`, {
            currency: currency.toUpperCase(),
          })}
          description={t('form.amountHint')}
          inputMode="decimal"
          placeholder={t('form.amountPlaceholder')}
          autoComplete="off"
          {...form.getInputProps('amount')}
        />
      )}
    </Stack>
  )
}
