import type { BillingOverview } from '@atrium/core/billing/billing'
import { formatMoney } from '@atrium/ui/format'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { subscriptionStatusMeta } from '@atrium/ui/subscription-status-meta'
import { Group, Text } from '@mantine/core'
import { When } from '../parts/when.tsx'

const t = translations('operator.billing')

type Row = BillingOverview['pastDue'][number]

/** Columns of a list of past-due tenants. */
export const pastDueColumns = (): readonly Column<Row>[] => [
  {
    key: 'tenant',
    header: t('pastDue.tenant'),
    primary: true,
    cell: ({ slug, name, partnerSlug }) => (
      <>
        <RowLink to="/tenants/$slug" params={{ slug }}>
          {name}
        </RowLink>
        <Text size="xs" c="dimmed">
          {partnerSlug === null ? slug : t('pastDue.slugOfPartner', { slug, partner: partnerSlug })}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: t('pastDue.subscription'),
    cell: ({ status }) => <StatusBadge {...subscriptionStatusMeta(status)} />,
  },
  {
    key: 'since',
    header: t('pastDue.since'),
    cell: ({ pastDueSince }) => (pastDueSince === null ? '–' : <When at={pastDueSince} />),
  },
  {
    key: 'amount',
    header: t('pastDue.amount'),
    align: 'end',
    cell: ({ amountMinor, currency }) => (
      <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
        {formatMoney(amountMinor, currency)}
      </span>
    ),
  },
  {
    key: 'effect',
    header: t('pastDue.effect'),
    cell: ({ state, suspensionSuggested }) => (
      <Group gap={6}>
        {state === 'limited' ? (
          <StatusBadge label={t('pastDue.limited')} tone="bad" />
        ) : (
          <StatusBadge label={t('pastDue.grace')} tone="warning" />
        )}
        {suspensionSuggested && <StatusBadge label={t('pastDue.suspend')} tone="bad" />}
      </Group>
    ),
  },
]
