import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import type { Column } from '@atrium/ui/responsive-table'
import { HealthBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { ProvisioningSummary } from './provisioning-summary.tsx'

/** Columns of a list of tenants. */
export const tenantColumns: readonly Column<TenantView>[] = [
  {
    key: 'name',
    header: 'Tenant',
    primary: true,
    cell: (tenant) => (
      <>
        <LinkAnchor
          to="/tenants/$slug"
          params={{ slug: tenant.slug }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {tenant.name}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {tenant.slug}
          {tenant.partnerSlug && ` · via ${tenant.partnerSlug}`}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    cell: (tenant) => <TenantStatusBadge status={tenant.status} />,
  },
  { key: 'plan', header: 'Plan', cell: (tenant) => planName(tenant.plan) },
  {
    key: 'provisioning',
    header: 'Provisioning',
    cell: (tenant) => <ProvisioningSummary status={tenant.provisioningStatus} />,
  },
  { key: 'members', header: 'Members', align: 'end', cell: membersOf },
  { key: 'health', header: 'Health', cell: (tenant) => <HealthBadge health={tenant.health} /> },
  { key: 'created', header: 'Created', cell: (tenant) => <When at={tenant.createdAt} /> },
]

function membersOf({ memberCount, seats }: TenantView) {
  return seats === 0
    ? formatCount(memberCount)
    : `${formatCount(memberCount)} of ${formatCount(seats)}`
}
