import type { InvoiceTotals, OperatorInvoice } from '@atrium/core/billing/operator-invoices'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { invoiceMeta } from '@atrium/ui/invoice-status-meta'
import { Amount } from '@atrium/ui/ledger-table'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'

const t = translations('operator.invoices')

/** Columns of a list of invoices of all tenants. */
export const invoiceColumns = (): readonly Column<OperatorInvoice>[] => [
  {
    key: 'number',
    header: t('columns.invoice'),
    primary: true,
    cell: ({ id, number, finalizedAt }) => (
      <>
        <LinkAnchor
          to="/invoices/$id"
          params={{ id }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {number ?? t('noNumber')}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {formatDay(finalizedAt)}
        </Text>
      </>
    ),
  },
  {
    key: 'tenant',
    header: t('columns.tenant'),
    breaks: true,
    cell: ({ tenantName, partnerSlug }) => (
      <>
        {tenantName}
        {partnerSlug && (
          <Text size="xs" c="dimmed">
            {t('columns.through', { partner: partnerSlug })}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'status',
    header: t('columns.status'),
    cell: (invoice) => (
      <>
        <StatusBadge {...invoiceMeta(invoice.status)} />
        <Text size="xs" c="dimmed">
          {changedAmount(invoice)}
        </Text>
      </>
    ),
  },
  {
    key: 'due',
    header: t('columns.due'),
    align: 'end',
    cell: ({ status, amountRemainingMinor, currency }) =>
      status === 'open' || status === 'overdue' ? (
        <Amount minor={amountRemainingMinor} currency={currency} />
      ) : (
        '–'
      ),
  },
  {
    key: 'total',
    header: t('columns.total'),
    align: 'end',
    cell: ({ totalMinor, currency }) => <Amount minor={totalMinor} currency={currency} />,
  },
]

/** What was refunded, disputed or credited, where the status alone does not say how much. */
function changedAmount({
  status,
  refundedMinor,
  disputedMinor,
  creditedMinor,
  currency,
}: OperatorInvoice): string | null {
  if (status === 'partially_refunded' || status === 'refunded')
    return t('changed.refunded', { amount: formatMoney(refundedMinor, currency) })
  if (status === 'disputed')
    return t('changed.disputed', { amount: formatMoney(disputedMinor, currency) })
  return creditedMinor > 0
    ? t('changed.credited', { amount: formatMoney(creditedMinor, currency) })
    : null
}

const totalColumn = (
  key: Exclude<keyof InvoiceTotals, 'currency' | 'invoices'>,
): Column<InvoiceTotals> => ({
  key,
  header: t(`totals.${key}`),
  align: 'end',
  cell: (row) => <Amount minor={row[key]} currency={row.currency} />,
})

/** One row per currency: what the filtered invoices add up to. */
export const totalColumns = (): readonly Column<InvoiceTotals>[] => [
  {
    key: 'currency',
    header: t('totals.currency'),
    primary: true,
    cell: ({ currency, invoices }) => (
      <>
        <Text span inherit fw={550}>
          {currency.toUpperCase()}
        </Text>
        <Text size="xs" c="dimmed">
          {t('totals.invoices', { count: invoices })}
        </Text>
      </>
    ),
  },
  totalColumn('totalMinor'),
  totalColumn('taxMinor'),
  totalColumn('paidMinor'),
  totalColumn('dueMinor'),
  totalColumn('refundedMinor'),
  totalColumn('creditedMinor'),
]
