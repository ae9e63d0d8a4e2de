import { plans } from '@atrium/core/billing/plans'
import { billingCycle, billingCycles } from '@atrium/core/billing/subscriptions'
import { plan as planOf } from '@atrium/core/tenants/tenants'
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
          label="Plan"
          data={planChoices()}
          allowDeselect={false}
          withScrollArea={false}
          {...form.getInputProps('plan')}
          onChange={(value) => form.setFieldValue('plan', planOf.parse(value))}
        />
        <Input.Wrapper label="Cycle" labelProps={{ id: label }} labelElement="div">
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
        label="Seats"
        description="Not fewer than members who own a mailbox."
        min={1}
        allowDecimal={false}
        {...form.getInputProps('seats')}
      />
    </Stack>
  )
}

/** What a manual one costs: the catalog's price, or what was agreed per seat or as a whole. */
export function PricingFields({ form }: Props) {
  const { pricing, currency, cycle } = form.values
  const label = useId()
  const choices = [
    { value: 'catalog', label: 'Catalog' },
    { value: 'per_seat', label: 'Per seat' },
    { value: 'period', label: 'As a whole' },
  ]
  return (
    <Stack gap="sm">
      <Input.Wrapper label="Amount" labelProps={{ id: label }} labelElement="div">
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
          label={`${pricing === 'per_seat' ? `Per seat and ${cycle}` : `Per ${cycle}, whatever the seats`}, in ${currency.toUpperCase()}`}
          description="Without tax."
          inputMode="decimal"
          placeholder="8.00"
          autoComplete="off"
          {...form.getInputProps('amount')}
        />
      )}
    </Stack>
  )
}
