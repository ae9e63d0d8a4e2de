import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import type { Column } from '@atrium/ui/responsive-table'
import { When } from '../parts/when.tsx'
import { ProvisioningSummary } from '../tenants/provisioning-summary.tsx'

const t = translations('operator.dashboard')

/** Columns of a list of tenants that are not set up yet. */
export const attentionColumns = (): readonly Column<TenantView>[] => [
  {
    key: 'name',
    header: t('attention.columns.tenant'),
    primary: true,
    cell: (tenant) => (
      <RowLink to="/tenants/$slug" params={{ slug: tenant.slug }}>
        {tenant.name}
      </RowLink>
    ),
  },
  {
    key: 'provisioning',
    header: t('attention.columns.provisioning'),
    cell: (tenant) => <ProvisioningSummary status={tenant.provisioningStatus} />,
  },
  { key: 'problem', header: t('attention.columns.problem'), cell: problemOfTenant },
  {
    key: 'created',
    header: t('attention.columns.created'),
    cell: (tenant) => <When at={tenant.createdAt} />,
  },
]

/** The message of the first step that failed. */
function problemOfTenant({ provisioningErrors }: TenantView): string {
  const step = provisioningSteps.find((name) => provisioningErrors[name] !== undefined)
  return (step && provisioningErrors[step]) ?? t('attention.noProblem')
}
