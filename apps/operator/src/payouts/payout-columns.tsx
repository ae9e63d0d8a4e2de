import type { PayoutView } from '@atrium/core/billing/payouts'
import { formatDay } from '@atrium/ui/format'
import { Amount } from '@atrium/ui/ledger-table'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'

const t = translations('operator.payouts')

/** Columns of a list of payouts. */
export const payoutColumns = (): readonly Column<PayoutView>[] => [
  {
    key: 'partner',
    header: t('columns.partner'),
    primary: true,
    cell: (payout) => (
      <>
        <RowLink to="/payouts/$id" params={{ id: payout.id }}>
          {payout.partnerName}
        </RowLink>
        {payout.statementNumber && (
          <Text size="xs" c="dimmed">
            {payout.statementNumber}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'status',
    header: t('columns.status'),
    cell: (payout) => <StatusBadge {...payoutMeta(payout.status)} />,
  },
  { key: 'period', header: t('columns.until'), cell: (payout) => formatDay(payout.periodTo) },
  {
    key: 'requested',
    header: t('columns.requestedBy'),
    cell: (payout) => payout.requestedBy ?? t('monthlyRun'),
  },
  {
    key: 'created',
    header: t('columns.created'),
    cell: (payout) => <When at={payout.createdAt} />,
  },
  {
    key: 'amount',
    header: t('columns.amount'),
    align: 'end',
    cell: (payout) => <Amount minor={payout.amountMinor} currency={payout.currency} />,
  },
]
