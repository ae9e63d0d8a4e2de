import {
  type BillingCycle,
  billingCycle,
  billingCycles,
  type TenantSubscription,
} from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { cycleName } from '@atrium/ui/subscription-status-meta'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { PlanChoice } from './plan-choice.tsx'
import { QuotedChange } from './quoted-change.tsx'

const t = translations('portal.subscriptions')

interface Props {
  slug: string
  subscription: TenantSubscription
  onClose: () => void
}

/** Another plan or cycle, with what that costs. */
export function PlanEditor({ slug, subscription, onClose }: Props) {
  const { currency } = subscription
  const [plan, setPlan] = useState<Plan>(subscription.plan)
  const [cycle, setCycle] = useState<BillingCycle>(subscription.cycle)
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
  const change = {
    ...(plan === subscription.plan ? {} : { plan }),
    ...(cycle === subscription.cycle ? {} : { cycle }),
  }
  const sold = offered.data.items.some((price) => price.plan === plan && price.cycle === cycle)
  return (
    <Stack>
      <SegmentedControl
        aria-label={t('plans.cycle')}
        transitionDuration={0}
        style={{ alignSelf: 'flex-start' }}
        data={billingCycles.map((value) => ({ value, label: cycleName(value) }))}
        value={cycle}
        onChange={(value) => setCycle(billingCycle.parse(value))}
      />
      <PlanChoice
        offered={offered.data.items}
        cycle={cycle}
        currency={currency}
        value={plan}
        current={cycle === subscription.cycle ? subscription.plan : undefined}
        onChange={setPlan}
      />
      {Object.keys(change).length > 0 && sold ? (
        <QuotedChange slug={slug} change={change} onDone={onClose} onCancel={onClose} />
      ) : (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {sold || Object.keys(change).length === 0
              ? t('plans.chooseOther')
              : t('plans.chooseOne')}
          </Text>
          <Button variant="default" onClick={onClose}>
            {t('dismiss')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
