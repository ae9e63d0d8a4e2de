import type { BookkeepingBalance, BookkeepingDifference } from '@atrium/core/billing/bookkeeping'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { Text } from '@mantine/core'

const t = translations('operator.bookkeeping')

const figures = [
  'opening',
  'payments',
  'refunds',
  'disputes',
  'fees',
  'other',
  'payouts',
  'closing',
] as const

export type BalanceFigure = (typeof figures)[number]
export const balanceFigures: readonly BalanceFigure[] = figures

/** A line per figure and a column per currency, as a statement of account has it. */
export const balanceColumns = (
  balances: readonly BookkeepingBalance[],
): Column<BalanceFigure>[] => [
  {
    key: 'figure',
    header: t('balance.figure'),
    primary: true,
    cell: (figure) => t(`balance.${figure}`),
  },
  ...balances.map(
    (balance): Column<BalanceFigure> => ({
      key: balance.currency,
      header: balance.currency.toUpperCase(),
      align: 'end',
      cell: (figure) => formatMoney(balance[`${figure}Minor`], balance.currency),
    }),
  ),
]

export const differenceColumns = (): Column<BookkeepingDifference>[] => [
  {
    key: 'found',
    header: t('differences.found'),
    primary: true,
    cell: ({ kind }) => t(`kinds.${kind}`),
  },
  {
    key: 'reference',
    header: t('differences.reference'),
    breaks: true,
    cell: ({ reference }) => reference,
  },
  {
    key: 'tenant',
    header: t('differences.tenant'),
    cell: ({ tenantSlug }) =>
      tenantSlug === null ? (
        <Text c="dimmed" size="sm">
          {t('differences.nothing')}
        </Text>
      ) : (
        <LinkAnchor to="/tenants/$slug" params={{ slug: tenantSlug }} size="sm">
          {tenantSlug}
        </LinkAnchor>
      ),
  },
  {
    key: 'books',
    header: t('differences.books'),
    align: 'end',
    cell: ({ booksMinor, currency }) => amount(booksMinor, currency),
  },
  {
    key: 'compared',
    header: t('differences.compared'),
    align: 'end',
    cell: ({ processorMinor, document, currency }) =>
      document === null
        ? amount(processorMinor, currency)
        : amount(document.amountMinor, document.currency),
  },
]

const amount = (minor: number | null, currency: string) =>
  minor === null ? (
    <Text c="dimmed" size="sm" component="span">
      {t('differences.nothing')}
    </Text>
  ) : (
    formatMoney(minor, currency)
  )
