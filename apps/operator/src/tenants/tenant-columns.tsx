import type { TenantView } from '@atrium/core/tenants/tenants'
import { formatCount } from '@atrium/ui/format'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { HealthBadge, TenantStatusBadge } from '@atrium/ui/status-badge'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Text } from '@mantine/core'
import { When } from '../parts/when.tsx'
import { ProvisioningSummary } from './provisioning-summary.tsx'

const t = translations('operator.tenants')

/** Columns of a list of tenants. */
export const tenantColumns = (): readonly Column<TenantView>[] => [
  {
    key: 'name',
    header: t('columns.tenant'),
    primary: true,
    cell: (tenant) => (
      <>
        <RowLink to="/tenants/$slug" params={{ slug: tenant.slug }}>
          {tenant.name}
        </RowLink>
        <Text size="xs" c="dimmed">
          {tenant.partnerSlug
            ? t('columns.viaPartner', { slug: tenant.slug, partner: tenant.partnerSlug })
            : tenant.slug}
        </Text>
      </>
    ),
  },
  {
    key: 'status',
    header: t('columns.status'),
    cell: (tenant) => <TenantStatusBadge status={tenant.status} />,
  },
  { key: 'plan', header: t('columns.plan'), cell: (tenant) => planName(tenant.plan) },
  {
    key: 'provisioning',
    header: t('columns.provisioning'),
    cell: (tenant) => <ProvisioningSummary status={tenant.provisioningStatus} />,
  },
  { key: 'members', header: t('columns.members'), align: 'end', cell: membersOf },
  {
    key: 'health',
    header: t('columns.health'),
    cell: (tenant) => <HealthBadge health={tenant.health} />,
  },
  {
    key: 'created',
    header: t('columns.created'),
    cell: (tenant) => <When at={tenant.createdAt} />,
  },
]

function membersOf({ memberCount, seats }: TenantView) {
  return seats === 0
    ? formatCount(memberCount)
    : t('columns.memberSeats', { members: memberCount, seats })
}
