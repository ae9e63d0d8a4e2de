import type { BillingOverview } from '@atrium/core/billing/billing'
import { formatCount, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'

const t = translations('operator.billing')

type Row = BillingOverview['currencies'][number]

function Amount({
  minor,
  currency,
  count,
}: {
  minor: number
  currency: string
  count?: string | undefined
}) {
  return (
    <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {formatMoney(minor, currency)}
      {count && (
        <Text
          size="xs"
          c="dimmed"
          component="span"
          display="block"
          style={{ whiteSpace: 'normal' }}
        >
          {count}
        </Text>
      )}
    </span>
  )
}

const invoices = (count: number) => t('revenue.invoices', { count })
const returned = (minor: number, currency: string) =>
  minor === 0 ? undefined : t('revenue.returned', { amount: formatMoney(minor, currency) })

/** One row per currency. */
export const currencyColumns = (): readonly Column<Row>[] => [
  {
    key: 'currency',
    header: t('revenue.currency'),
    primary: true,
    cell: ({ currency }) => currency.toUpperCase(),
  },
  {
    key: 'mrr',
    header: t('revenue.mrr'),
    align: 'end',
    cell: ({ mrrMinor, currency, payingTenants }) => (
      <Amount
        minor={mrrMinor}
        currency={currency}
        count={t('revenue.payingTenants', { count: payingTenants })}
      />
    ),
  },
  {
    key: 'risk',
    header: t('revenue.atRisk'),
    align: 'end',
    cell: ({ atRiskMrrMinor, currency }) => <Amount minor={atRiskMrrMinor} currency={currency} />,
  },
  {
    key: 'trial',
    header: t('revenue.trial'),
    align: 'end',
    cell: ({ trialMrrMinor, currency }) => <Amount minor={trialMrrMinor} currency={currency} />,
  },
  {
    key: 'open',
    header: t('revenue.open'),
    align: 'end',
    cell: ({ openMinor, openInvoices, currency }) => (
      <Amount minor={openMinor} currency={currency} count={invoices(openInvoices)} />
    ),
  },
  {
    key: 'overdue',
    header: t('revenue.overdue'),
    align: 'end',
    cell: ({ overdueMinor, overdueInvoices, currency }) => (
      <Amount minor={overdueMinor} currency={currency} count={invoices(overdueInvoices)} />
    ),
  },
  {
    key: 'paid',
    header: t('revenue.paid'),
    align: 'end',
    cell: ({ paidLast30DaysMinor, returnedLast30DaysMinor, currency }) => (
      <Amount
        minor={paidLast30DaysMinor}
        currency={currency}
        count={returned(returnedLast30DaysMinor, currency)}
      />
    ),
  },
  {
    key: 'failed',
    header: t('revenue.failed'),
    align: 'end',
    cell: ({ failedPaymentsLast30Days }) =>
      failedPaymentsLast30Days === 0 ? (
        t('none')
      ) : (
        <StatusBadge label={formatCount(failedPaymentsLast30Days)} tone="bad" />
      ),
  },
]
