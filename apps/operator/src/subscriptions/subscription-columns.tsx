import type { SubscriptionView } from '@atrium/core/billing/subscriptions'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { planName, subscriptionMeta } from '@atrium/ui/subscription-status-meta'
import { Text } from '@mantine/core'
import { cycleAndSeats } from './labels.ts'

const t = translations('operator.subscriptions')

/** Columns of a list of subscriptions. */
export const subscriptionColumns = (): readonly Column<SubscriptionView>[] => [
  {
    key: 'tenant',
    header: t('columns.tenant'),
    primary: true,
    cell: (row) => (
      <>
        <RowLink to="/subscriptions/$id" params={{ id: row.id }}>
          {row.tenantName}
        </RowLink>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {row.partnerSlug
            ? t('columns.slugAndPartner', { slug: row.tenantSlug, partner: row.partnerSlug })
            : row.tenantSlug}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: t('columns.status'),
    cell: (row) => <StatusBadge {...subscriptionMeta(row)} />,
  },
  {
    key: 'plan',
    header: t('columns.plan'),
    cell: (row) => (
      <>
        {planName(row.plan)}
        <Text size="xs" c="dimmed">
          {cycleAndSeats(row)}
        </Text>
      </>
    ),
  },
  {
    key: 'total',
    header: t('columns.total'),
    align: 'end',
    cell: (row) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {formatMoney(row.totalMinor, row.currency)}
      </Text>
    ),
  },
  {
    key: 'source',
    header: t('sources.label'),
    wideOnly: true,
    cell: (row) => t(`sources.${row.source}.name`),
  },
  {
    key: 'until',
    header: t('columns.periodEnds'),
    cell: (row) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {row.endedAt
          ? t('columns.ended', { day: formatDay(row.endedAt) })
          : row.currentPeriodEnd
            ? formatDay(row.currentPeriodEnd)
            : '–'}
      </Text>
    ),
  },
]
