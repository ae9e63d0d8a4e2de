import type { OfferedPrice } from '@atrium/core/billing/prices'
import {
  type BillingCycle,
  billingCycle,
  billingCycles,
  mostSeats,
  type StartResult,
} from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { EmptyState, ErrorState, LoadingRows, ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import { Button, Group, NumberInput, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { perPeriod } from './labels.ts'
import { useStartSubscription } from './mutations.ts'
import { PlanChoice, totalFor } from './plan-choice.tsx'

/** Plans to choose from, where there is no subscription. */
export function StartPanel({ slug }: { slug: string }) {
  const offered = useQuery(useTRPC().prices.offered.queryOptions({ slug }))
  if (offered.isError) {
    return (
      <ErrorState
        title="The plans could not be loaded."
        error={offered.error}
        onRetry={() => void offered.refetch()}
        retrying={offered.isFetching}
      />
    )
  }
  if (offered.isPending) return <LoadingRows label="Loading plans" rows={3} />
  const payable = offered.data.items.filter(({ amounts }) =>
    amounts.some((amount) => amount.payable),
  )
  if (payable.length === 0) {
    return (
      <EmptyState title="No plan is on sale">
        Your provider sets the plan of this workplace. Ask them to change it.
      </EmptyState>
    )
  }
  return <StartForm slug={slug} offered={payable} assignedSeats={offered.data.assignedSeats} />
}

interface FormProps {
  slug: string
  offered: readonly OfferedPrice[]
  /** Members that need a seat. */
  assignedSeats: number
}

function StartForm({ slug, offered, assignedSeats }: FormProps) {
  const currencies = [
    ...new Set(offered.flatMap(({ amounts }) => amounts.map(({ currency }) => currency))),
  ]
  const cycles = billingCycles.filter((one) => offered.some(({ cycle }) => cycle === one))
  const [plan, setPlan] = useState<Plan | null>(null)
  const [cycle, setCycle] = useState<BillingCycle>(cycles[0] ?? 'month')
  const [currency, setCurrency] = useState(currencies[0] ?? 'eur')
  const [seats, setSeats] = useState<number | string>(Math.max(1, assignedSeats))
  const start = useStartSubscription(slug)
  const price = offered.find((one) => one.plan === plan && one.cycle === cycle)
  const total = price && typeof seats === 'number' ? totalFor(price, currency, seats) : undefined
  const issue = start.error
    ? problemOf(start.error).issues.find(({ path }) => path === 'seats')?.message
    : undefined
  const send = () => {
    if (plan === null || typeof seats !== 'number') return
    start.mutate({ slug, plan, cycle, currency, seats }, { onSuccess: tell })
  }
  return (
    <Panel
      title="Choose a plan"
      description="You can change it at any time. Amounts are without tax."
    >
      <Stack>
        <Group align="flex-end">
          {cycles.length > 1 && (
            <SegmentedControl
              aria-label="Cycle"
              transitionDuration={0}
              data={cycles.map((value) => ({ value, label: cycleName(value) }))}
              value={cycle}
              onChange={(value) => setCycle(billingCycle.parse(value))}
            />
          )}
          {currencies.length > 1 && (
            <Select
              label="Currency"
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
          label="Seats"
          description={
            assignedSeats === 0
              ? 'One for each person with a mailbox.'
              : describeSeats(assignedSeats)
          }
          min={Math.max(1, assignedSeats)}
          max={mostSeats}
          allowDecimal={false}
          maw={240}
          value={seats}
          onChange={setSeats}
          error={issue}
        />
        {start.error && issue === undefined && <ProblemAlert error={start.error} />}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {price && total !== undefined
              ? `${planName(price.plan)}: ${perPeriod(total, currency, cycle)}, without tax`
              : 'No plan chosen yet.'}
          </Text>
          <Button onClick={send} loading={start.isPending} disabled={total === undefined}>
            Subscribe
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}

function describeSeats(assigned: number): string {
  return assigned === 1
    ? 'One member owns a mailbox and needs a seat.'
    : `${assigned} members own a mailbox and need a seat each.`
}

function tell({ subscription: { status } }: StartResult): void {
  done(
    status === 'incomplete'
      ? 'The subscription waits for its first payment.'
      : 'You are subscribed.',
  )
}
