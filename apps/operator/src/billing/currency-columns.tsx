import type { BillingOverview } from '@atrium/core/billing/billing'
import { formatMoney } from '@atrium/ui/format'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'

type Row = BillingOverview['currencies'][number]

function Amount({ minor, currency, count }: { minor: number; currency: string; count?: string }) {
  return (
    <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {formatMoney(minor, currency)}
      {count && (
        <Text size="xs" c="dimmed" component="span" display="block">
          {count}
        </Text>
      )}
    </span>
  )
}

const invoices = (count: number) => (count === 1 ? '1 invoice' : `${count} invoices`)

/** One row per currency. */
export const currencyColumns: readonly Column<Row>[] = [
  {
    key: 'currency',
    header: 'Currency',
    primary: true,
    cell: ({ currency }) => currency.toUpperCase(),
  },
  {
    key: 'mrr',
    header: 'MRR',
    align: 'end',
    cell: ({ mrrMinor, currency, payingTenants }) => (
      <Amount
        minor={mrrMinor}
        currency={currency}
        count={payingTenants === 1 ? '1 paying tenant' : `${payingTenants} paying tenants`}
      />
    ),
  },
  {
    key: 'risk',
    header: 'At risk',
    align: 'end',
    cell: ({ atRiskMrrMinor, currency }) => <Amount minor={atRiskMrrMinor} currency={currency} />,
  },
  {
    key: 'trial',
    header: 'On trial',
    align: 'end',
    cell: ({ trialMrrMinor, currency }) => <Amount minor={trialMrrMinor} currency={currency} />,
  },
  {
    key: 'open',
    header: 'Open',
    align: 'end',
    cell: ({ openMinor, openInvoices, currency }) => (
      <Amount minor={openMinor} currency={currency} count={invoices(openInvoices)} />
    ),
  },
  {
    key: 'overdue',
    header: 'Overdue',
    align: 'end',
    cell: ({ overdueMinor, overdueInvoices, currency }) => (
      <Amount minor={overdueMinor} currency={currency} count={invoices(overdueInvoices)} />
    ),
  },
  {
    key: 'paid',
    header: 'Paid',
    align: 'end',
    cell: ({ paidLast30DaysMinor, currency }) => (
      <Amount minor={paidLast30DaysMinor} currency={currency} />
    ),
  },
  {
    key: 'failed',
    header: 'Failed payments',
    align: 'end',
    cell: ({ failedPaymentsLast30Days }) =>
      failedPaymentsLast30Days === 0 ? (
        'None'
      ) : (
        <StatusBadge label={String(failedPaymentsLast30Days)} tone="bad" />
      ),
  },
]
