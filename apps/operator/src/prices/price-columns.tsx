import type { PriceView } from '@atrium/core/billing/prices'
import { LinkAnchor } from '@atrium/ui/links'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Stack, Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { amountText, failedCurrencies, priceName, priceStateMeta } from './labels.ts'

/** Columns of the price catalog. */
export const priceColumns: readonly Column<PriceView>[] = [
  {
    key: 'price',
    header: 'Price',
    primary: true,
    cell: (price) => (
      <>
        <LinkAnchor
          to="/prices/$id"
          params={{ id: price.id }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {priceName(price)}
        </LinkAnchor>
        <Text size="xs" c="dimmed" lineClamp={2}>
          Version {price.version}
          {price.note && ` · ${price.note}`}
        </Text>
      </>
    ),
  },
  { key: 'state', header: 'State', cell: (price) => <PriceState price={price} /> },
  {
    key: 'amounts',
    header: 'Amounts',
    cell: (price) => (
      <Stack gap={2}>
        {price.amounts.map((amount) => (
          <Text key={amount.currency} span inherit style={{ whiteSpace: 'nowrap' }}>
            {amount.tiers
              ? `${amount.currency.toUpperCase()}, ${amountText(price, amount)}`
              : amountText(price, amount)}
          </Text>
        ))}
      </Stack>
    ),
  },
  {
    key: 'trial',
    header: 'Trial',
    align: 'end',
    cell: ({ trialDays }) => (trialDays === 0 ? '–' : `${trialDays} days`),
  },
  {
    key: 'for',
    header: 'For',
    wideOnly: true,
    cell: ({ partnerSlugs }) => partnerSlugs?.join(', ') ?? 'Everybody',
  },
  {
    key: 'subscriptions',
    header: 'Subscriptions',
    align: 'end',
    cell: (price) => price.subscriptions,
  },
  {
    key: 'changed',
    header: 'Changed',
    wideOnly: true,
    cell: (price) => <When at={price.updatedAt} />,
  },
]

/** State of a price, and that the payment processor failed at it. */
export function PriceState({ price }: { price: PriceView }) {
  const failed = failedCurrencies(price)
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge {...priceStateMeta[price.state]} />
      {failed.length > 0 && <StatusBadge label={`Failed for ${failed.join(', ')}`} tone="bad" />}
    </Stack>
  )
}
