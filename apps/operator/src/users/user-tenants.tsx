import type { UserView } from '@atrium/core/users/users'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { TenantStatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'
import { roleNames } from '../tenants/labels.ts'

const columns: readonly Column<UserView['tenants'][number]>[] = [
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
  { key: 'role', header: 'Role', cell: (tenant) => roleNames[tenant.role] },
  {
    key: 'status',
    header: 'Status',
    cell: (tenant) => <TenantStatusBadge status={tenant.status} />,
  },
]

/** The tenants that a user belongs to. */
export function UserTenants({ tenants }: { tenants: UserView['tenants'] }) {
  return (
    <Panel title="Tenants">
      {tenants.length === 0 ? (
        <Text c="dimmed" size="sm">
          This person belongs to no tenant. Memberships follow the groups of the identity provider.
        </Text>
      ) : (
        <ResponsiveTable
          caption="Tenants of this user"
          columns={columns}
          rows={tenants}
          rowKey={(tenant) => tenant.id}
        />
      )}
    </Panel>
  )
}
