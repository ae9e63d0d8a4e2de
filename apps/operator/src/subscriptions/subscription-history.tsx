import type { SubscriptionState } from '@atrium/core/billing/subscriptions'
import { formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { planName, subscriptionMeta } from '@atrium/ui/subscription-status-meta'
import { Time } from '@atrium/ui/time'
import { Text } from '@mantine/core'
import { cycleAndSeats } from './labels.ts'

const t = translations('operator.subscriptions')

const columns = (): readonly Column<SubscriptionState>[] => [
  {
    key: 'from',
    header: t('history.from'),
    primary: true,
    cell: ({ validFrom }) => <Time at={validFrom} show="absolute" />,
  },
  {
    key: 'to',
    header: t('history.until'),
    cell: ({ validTo }) =>
      validTo === null ? t('history.now') : <Time at={validTo} show="absolute" />,
  },
  {
    key: 'status',
    header: t('history.status'),
    cell: (state) => <StatusBadge {...subscriptionMeta(state)} />,
  },
  {
    key: 'plan',
    header: t('history.plan'),
    cell: (state) => (
      <>
        {planName(state.plan)}
        <Text size="xs" c="dimmed">
          {cycleAndSeats(state)}
        </Text>
      </>
    ),
  },
  { key: 'partner', header: t('history.partner'), cell: ({ partnerSlug }) => partnerSlug ?? '–' },
  {
    key: 'arr',
    header: t('history.arr'),
    align: 'end',
    cell: ({ arrMinor, currency }) => (
      <Text span inherit style={{ whiteSpace: 'nowrap' }}>
        {formatMoney(arrMinor, currency)}
      </Text>
    ),
  },
]

/** Every state of a subscription, newest first. All reports are computed from these. */
export function SubscriptionHistory({ states }: { states: readonly SubscriptionState[] }) {
  return (
    <ResponsiveTable
      caption={t('history.title')}
      columns={columns()}
      rows={states}
      rowKey={({ validFrom, validTo }) => `${validFrom}${validTo}`}
    />
  )
}
