import type { SubscriptionView } from '@atrium/core/billing/subscriptions'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import {
  cycleName,
  planName,
  seatsLabel,
  subscriptionMeta,
} from '@atrium/ui/subscription-status-meta'
import { Text } from '@mantine/core'
import { sourceNames } from './labels.ts'

/** Columns of a list of subscriptions. */
export const subscriptionColumns: readonly Column<SubscriptionView>[] = [
  {
    key: 'tenant',
    header: 'Tenant',
    primary: true,
    cell: (row) => (
      <>
        <LinkAnchor
          to="/subscriptions/$id"
          params={{ id: row.id }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {row.tenantName}
        </LinkAnchor>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {row.tenantSlug}
          {row.partnerSlug && ` · ${row.partnerSlug}`}
        </Text>
      </>
    ),
  },
  { key: 'status', header: 'Status', cell: (row) => <StatusBadge {...subscriptionMeta(row)} /> },
  {
    key: 'plan',
    header: 'Plan',
    cell: (row) => (
      <>
        {planName(row.plan)}
        <Text size="xs" c="dimmed">
          {cycleName(row.cycle)}, {seatsLabel(row.seats)}
        </Text>
      </>
    ),
  },
  {
    key: 'total',
    header: 'Per period',
    align: 'end',
    cell: (row) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {formatMoney(row.totalMinor, row.currency)}
      </Text>
    ),
  },
  { key: 'source', header: 'Kept by', wideOnly: true, cell: (row) => sourceNames[row.source] },
  {
    key: 'until',
    header: 'Period ends',
    cell: (row) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {row.endedAt
          ? `Ended ${formatDay(row.endedAt)}`
          : row.currentPeriodEnd
            ? formatDay(row.currentPeriodEnd)
            : '–'}
      </Text>
    ),
  },
]
