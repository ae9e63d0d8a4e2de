import type { SubscriptionState } from '@atrium/core/billing/subscriptions'
import { formatMoney } from '@atrium/ui/format'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import {
  cycleName,
  planName,
  seatsLabel,
  subscriptionMeta,
} from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { Text } from '@mantine/core'

const columns: readonly Column<SubscriptionState>[] = [
  {
    key: 'from',
    header: 'From',
    primary: true,
    cell: ({ validFrom }) => <Time at={validFrom} show="absolute" />,
  },
  {
    key: 'to',
    header: 'Until',
    cell: ({ validTo }) => (validTo === null ? 'Now' : <Time at={validTo} show="absolute" />),
  },
  {
    key: 'status',
    header: 'Status',
    cell: (state) => <StatusBadge {...subscriptionMeta(state)} />,
  },
  {
    key: 'plan',
    header: 'Plan',
    cell: ({ plan, cycle, seats }) => (
      <>
        {planName(plan)}
        <Text size="xs" c="dimmed">
          {cycleName(cycle)}, {seatsLabel(seats)}
        </Text>
      </>
    ),
  },
  { key: 'partner', header: 'Partner', cell: ({ partnerSlug }) => partnerSlug ?? '–' },
  {
    key: 'arr',
    header: 'Revenue a year',
    align: 'end',
    cell: ({ arrMinor, currency }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {formatMoney(arrMinor, currency)}
      </Text>
    ),
  },
]

/** Every state that the subscription was in, newest first; what all reports are computed from. */
export function SubscriptionHistory({ states }: { states: readonly SubscriptionState[] }) {
  return (
    <ResponsiveTable
      caption="History"
      columns={columns}
      rows={states}
      rowKey={({ validFrom, validTo }) => `${validFrom}${validTo}`}
    />
  )
}
