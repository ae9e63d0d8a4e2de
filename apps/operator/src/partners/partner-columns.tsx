import type { PartnerView } from '@atrium/core/partners/partners'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { amountsText, partnerStatusMeta } from '@atrium/ui/partner-status-meta'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'

/** Columns of the list of partners. */
export const partnerColumns: readonly Column<PartnerView>[] = [
  {
    key: 'name',
    header: 'Partner',
    primary: true,
    cell: (partner) => (
      <>
        <LinkAnchor
          to="/partners/$slug"
          params={{ slug: partner.slug }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {partner.name}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {partner.slug}
          {partner.domain && ` · ${partner.domain}`}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) => <StatusBadge {...partnerStatusMeta(status)} />,
  },
  {
    key: 'customers',
    header: 'Customers',
    align: 'end',
    cell: ({ customers }) => formatCount(customers),
  },
  { key: 'mrr', header: 'MRR', align: 'end', cell: ({ mrr }) => amountsText(mrr ?? []) },
  { key: 'margin', header: 'Margin', align: 'end', cell: ({ marginPct }) => `${marginPct ?? 0} %` },
  { key: 'staff', header: 'Staff', align: 'end', cell: ({ staff }) => formatCount(staff) },
  { key: 'created', header: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
]
