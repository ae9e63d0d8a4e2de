import type { PartnerView } from '@atrium/core/partners/partners'
import { formatCount, formatPercent } from '@atrium/ui/format'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { amountsText, partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'

const t = translations('operator.partners')

/** Columns of the list of partners. */
export const partnerColumns = (): readonly Column<PartnerView>[] => [
  {
    key: 'name',
    header: t('columns.partner'),
    primary: true,
    cell: (partner) => (
      <>
        <RowLink to="/partners/$slug" params={{ slug: partner.slug }}>
          {partner.name}
        </RowLink>
        <Text size="xs" c="dimmed">
          {partner.domain
            ? t('page.subtitle', { slug: partner.slug, domain: partner.domain })
            : partner.slug}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: t('columns.status'),
    cell: ({ status }) => <StatusBadge {...partnerStatusMeta(status)} />,
  },
  {
    key: 'customers',
    header: t('columns.customers'),
    align: 'end',
    cell: ({ customers }) => formatCount(customers),
  },
  { key: 'mrr', header: t('columns.mrr'), align: 'end', cell: ({ mrr }) => amountsText(mrr ?? []) },
  {
    key: 'margin',
    header: t('columns.margin'),
    align: 'end',
    cell: ({ marginPct }) => formatPercent(marginPct ?? 0),
  },
  {
    key: 'staff',
    header: t('columns.staff'),
    align: 'end',
    cell: ({ staff }) => formatCount(staff),
  },
  {
    key: 'created',
    header: t('columns.created'),
    cell: ({ createdAt }) => <When at={createdAt} />,
  },
]
