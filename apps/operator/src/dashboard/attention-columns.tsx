import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { LinkAnchor } from '@atrium/ui/links'
import type { Column } from '@atrium/ui/responsive-table'
import { When } from '../parts/when.tsx'
import { ProvisioningSummary } from '../tenants/provisioning-summary.tsx'

/** Columns of a list of tenants that are not set up. */
export const attentionColumns: readonly Column<TenantView>[] = [
  {
    key: 'name',
    header: 'Tenant',
    primary: true,
    cell: (tenant) => (
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
    ),
  },
  {
    key: 'provisioning',
    header: 'Provisioning',
    cell: (tenant) => <ProvisioningSummary status={tenant.provisioningStatus} />,
  },
  { key: 'problem', header: 'Problem', cell: problemOfTenant },
  { key: 'created', header: 'Created', cell: (tenant) => <When at={tenant.createdAt} /> },
]

/** The message of the first step that failed. */
function problemOfTenant({ provisioningErrors }: TenantView): string {
  const step = provisioningSteps.find((name) => provisioningErrors[name] !== undefined)
  return (step && provisioningErrors[step]) ?? 'None'
}
