import type { BillingOverview } from '@atrium/core/billing/billing'
import { formatMoney } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { subscriptionStatusMeta } from '@atrium/ui/subscription-status-meta'
import { Group, Text } from '@mantine/core'
import { When } from '../parts/when.tsx'

type Row = BillingOverview['pastDue'][number]

/** Tenants that owe. */
export const pastDueColumns: readonly Column<Row>[] = [
  {
    key: 'tenant',
    header: 'Tenant',
    primary: true,
    cell: ({ slug, name, partnerSlug }) => (
      <>
        <LinkAnchor
          to="/tenants/$slug"
          params={{ slug }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {name}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {partnerSlug === null ? slug : `${slug}, of ${partnerSlug}`}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: 'Subscription',
    cell: ({ status }) => <StatusBadge {...subscriptionStatusMeta(status)} />,
  },
  {
    key: 'since',
    header: 'Owes since',
    cell: ({ pastDueSince }) => (pastDueSince === null ? '–' : <When at={pastDueSince} />),
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'end',
    cell: ({ amountMinor, currency }) => (
      <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
        {formatMoney(amountMinor, currency)}
      </span>
    ),
  },
  {
    key: 'effect',
    header: 'Effect',
    cell: ({ state, suspensionSuggested }) => (
      <Group gap={6}>
        {state === 'limited' ? (
          <StatusBadge label="Limited" tone="bad" />
        ) : (
          <StatusBadge label="In grace" tone="warning" />
        )}
        {suspensionSuggested && <StatusBadge label="Suspend?" tone="bad" />}
      </Group>
    ),
  },
]
