import type { OfferedPrice } from '@atrium/core/billing/prices'
import {
  type BillingCycle,
  billingCycle,
  billingCycles,
  mostSeats,
} from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import { Button, Group, NumberInput, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OrderTerms } from '../billing/search.ts'
import { useTRPC } from '../trpc.ts'
import { perPeriod } from './labels.ts'
import { PlanChoice, totalFor } from './plan-choice.tsx'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  /** Goes on to the summary of the order. */
  onOrder: (order: OrderTerms) => void
}

/** Plans to choose from, where there is no subscription. */
export function StartPanel({ slug, onOrder }: Props) {
  const offered = useQuery(useTRPC().prices.offered.queryOptions({ slug }))
  if (offered.isError) {
    return (
      <ErrorState
        title={t('plans.loadFailed')}
        error={offered.error}
        onRetry={() => void offered.refetch()}
        retrying={offered.isFetching}
      />
    )
  }
  if (offered.isPending) return <LoadingRows label={t('plans.loading')} rows={3} />
  const payable = offered.data.items.filter(({ amounts }) =>
    amounts.some((amount) => amount.payable),
  )
  if (payable.length === 0) {
    return <EmptyState title={t('start.none.title')}>{t('start.none.hint')}</EmptyState>
  }
  return (
    <StartForm offered={payable} assignedSeats={offered.data.assignedSeats} onOrder={onOrder} />
  )
}

interface FormProps extends Pick<Props, 'onOrder'> {
  offered: readonly OfferedPrice[]
  /** Members that need a seat. */
  assignedSeats: number
}

function StartForm({ offered, assignedSeats, onOrder }: FormProps) {
  const currencies = [
    ...new Set(offered.flatMap(({ amounts }) => amounts.map(({ currency }) => currency))),
  ]
  const cycles = billingCycles.filter((one) => offered.some(({ cycle }) => cycle === one))
  const [plan, setPlan] = useState<Plan | null>(null)
  const [cycle, setCycle] = useState<BillingCycle>(cycles[0] ?? 'month')
  const [currency, setCurrency] = useState(currencies[0] ?? 'eur')
  const [seats, setSeats] = useState<number | string>(Math.max(1, assignedSeats))
  const price = offered.find((one) => one.plan === plan && one.cycle === cycle)
  const total = price && typeof seats === 'number' ? totalFor(price, currency, seats) : undefined
  const proceed = () => {
    if (plan === null || typeof seats !== 'number') return
    onOrder({ plan, cycle, currency, seats })
  }
  return (
    <Panel title={t('start.title')} description={t('start.hint')}>
      <Stack>
        <Group align="flex-end">
          {cycles.length > 1 && (
            <SegmentedControl
              aria-label={t('plans.cycle')}
              transitionDuration={0}
              data={cycles.map((value) => ({ value, label: cycleName(value) }))}
              value={cycle}
              onChange={(value) => setCycle(billingCycle.parse(value))}
            />
          )}
          {currencies.length > 1 && (
            <Select
              label={t('start.currency')}
              w={110}
              data={currencies.map((value) => ({ value, label: value.toUpperCase() }))}
              allowDeselect={false}
              withScrollArea={false}
              value={currency}
              onChange={(value) => setCurrency(value ?? currency)}
            />
          )}
        </Group>
        <PlanChoice
          offered={offered}
          cycle={cycle}
          currency={currency}
          value={plan}
          onChange={setPlan}
        />
        <NumberInput
          label={t('seats.label')}
          description={
            assignedSeats === 0
              ? t('start.seatsHint')
              : t('start.seatsNeeded', { count: assignedSeats })
          }
          min={Math.max(1, assignedSeats)}
          max={mostSeats}
          allowDecimal={false}
          maw={240}
          value={seats}
          onChange={setSeats}
        />
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {price && total !== undefined
              ? t('start.total', {
                  plan: planName(price.plan),
                  price: perPeriod(total, currency, cycle),
                  tax: price.taxBehavior,
                })
              : t('start.noPlan')}
          </Text>
          <Button onClick={proceed} disabled={total === undefined}>
            {t('start.submit')}
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
