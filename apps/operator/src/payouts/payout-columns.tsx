import type { PayoutView } from '@atrium/core/billing/payouts'
import { formatDay } from '@atrium/ui/format'
import { Amount } from '@atrium/ui/ledger-table'
import { LinkAnchor } from '@atrium/ui/links'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'

/** Columns of a list of payouts. */
export const payoutColumns: readonly Column<PayoutView>[] = [
  {
    key: 'partner',
    header: 'Partner',
    primary: true,
    cell: (payout) => (
      <>
        <LinkAnchor
          to="/payouts/$id"
          params={{ id: payout.id }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {payout.partnerName}
        </LinkAnchor>
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
    header: 'Status',
    cell: (payout) => <StatusBadge {...payoutMeta(payout.status)} />,
  },
  { key: 'period', header: 'Until', cell: (payout) => formatDay(payout.periodTo) },
  {
    key: 'requested',
    header: 'Asked for by',
    cell: (payout) => payout.requestedBy ?? 'Monthly run',
  },
  { key: 'created', header: 'Made', cell: (payout) => <When at={payout.createdAt} /> },
  {
    key: 'amount',
    header: 'Amount',
    align: 'end',
    cell: (payout) => <Amount minor={payout.amountMinor} currency={payout.currency} />,
  },
]
