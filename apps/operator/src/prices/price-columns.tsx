import type { PriceView } from '@atrium/core/billing/prices'
import { formatList } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Stack, Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { amountText, failedCurrencies, priceName, priceStateMeta, versionLabel } from './labels.ts'

const t = translations('operator.prices')

/** Columns of the price catalog. */
export const priceColumns = (): readonly Column<PriceView>[] => [
  {
    key: 'price',
    header: t('columns.price'),
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
          {versionLabel(price)}
        </Text>
      </>
    ),
  },
  { key: 'state', header: t('columns.state'), cell: (price) => <PriceState price={price} /> },
  {
    key: 'amounts',
    header: t('columns.amounts'),
    cell: (price) => (
      <Stack gap={2}>
        {price.amounts.map((amount) => (
          <Text key={amount.currency} span inherit style={{ whiteSpace: 'nowrap' }}>
            {amount.tiers
              ? t('amount.tiersIn', {
                  currency: amount.currency.toUpperCase(),
                  tiers: amountText(price, amount),
                })
              : amountText(price, amount)}
          </Text>
        ))}
      </Stack>
    ),
  },
  {
    key: 'trial',
    header: t('columns.trial'),
    align: 'end',
    cell: ({ trialDays }) => (trialDays === 0 ? '–' : t('columns.days', { count: trialDays })),
  },
  {
    key: 'for',
    header: t('columns.for'),
    wideOnly: true,
    cell: ({ partnerSlugs }) => (partnerSlugs ? formatList(partnerSlugs) : t('columns.everyone')),
  },
  {
    key: 'subscriptions',
    header: t('columns.subscriptions'),
    align: 'end',
    cell: (price) => price.subscriptions,
  },
  {
    key: 'changed',
    header: t('columns.changed'),
    wideOnly: true,
    cell: (price) => <When at={price.updatedAt} />,
  },
]

/** The state of a price, and the currencies for which the payment processor failed. */
export function PriceState({ price }: { price: PriceView }) {
  const failed = failedCurrencies(price)
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge {...priceStateMeta(price.state)} />
      {failed.length > 0 && (
        <StatusBadge label={t('failedFor', { currencies: formatList(failed) })} tone="bad" />
      )}
    </Stack>
  )
}
