import { fileQuotaBytes } from '@atrium/core/billing/plans'
import { type OfferedPrice, totalOf } from '@atrium/core/billing/prices'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { formatBytes, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Badge, Group, Radio, Stack, Text } from '@mantine/core'

import classes from './subscriptions.module.css'

const t = translations('portal.subscriptions')

interface Props {
  offered: readonly OfferedPrice[]
  cycle: BillingCycle
  currency: string
  value: Plan | null
  /** The plan that is subscribed to. */
  current?: Plan | undefined
  onChange: (plan: Plan) => void
}

/**
 * What a price costs for some seats, in minor units; undefined when it is not sold in the currency.
 */
export function totalFor(price: OfferedPrice, currency: string, seats: number): number | undefined {
  const amount = price.amounts.find((one) => one.currency === currency)
  return (
    amount &&
    Number(
      totalOf({ scheme: price.scheme, unitAmount: amount.unitAmount, tiers: amount.tiers }, seats),
    )
  )
}

/** The plans that can be bought by month or by year, as cards of which one is chosen. */
export function PlanChoice({ offered, cycle, currency, value, current, onChange }: Props) {
  const plans = offered.filter(
    (price) =>
      price.cycle === cycle && price.amounts.some((amount) => amount.currency === currency),
  )
  return (
    <Radio.Group
      aria-label={t('plans.plan')}
      value={value}
      onChange={(chosen) => {
        const price = plans.find(({ plan }) => plan === chosen)
        if (price) onChange(price.plan)
      }}
    >
      <div className={classes.plans}>
        {plans.map((price) => (
          <Radio.Card
            key={price.id}
            value={price.plan}
            radius="md"
            className={classes.plan}
            aria-label={planName(price.plan)}
          >
            <Stack gap={6}>
              <Group justify="space-between" wrap="nowrap">
                <Text fw={600}>{planName(price.plan)}</Text>
                <Radio.Indicator />
              </Group>
              <PriceLine price={price} currency={currency} />
              <Text size="sm" c="dimmed">
                {t('plans.files', { size: formatBytes(fileQuotaBytes[price.plan]) })}
              </Text>
              {price.plan === current ? (
                <Badge variant="light" color="gray">
                  {t('plans.current')}
                </Badge>
              ) : (
                price.trialDays > 0 &&
                current === undefined && (
                  <Badge variant="light">{t('plans.trial', { days: price.trialDays })}</Badge>
                )
              )}
            </Stack>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  )
}

function PriceLine({ price, currency }: { price: OfferedPrice; currency: string }) {
  const amount = price.amounts.find((one) => one.currency === currency)
  if (!amount) return null
  const [first] = amount.tiers ?? []
  return (
    <Text component="div">
      {t.rich(first ? 'plans.priceFrom' : 'plans.price', {
        price: formatMoney(first?.unitAmount ?? amount.unitAmount, currency),
        scheme: price.scheme,
        cycle: price.cycle,
        tax: price.taxBehavior,
        amount: (chunks) => <span className={classes.amount}>{chunks}</span>,
        unit: (chunks) => (
          <Text span size="sm" c="dimmed">
            {chunks}
          </Text>
        ),
      })}
    </Text>
  )
}
