import type { UserView } from '@atrium/core/users/users'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { TenantStatusBadge } from '@atrium/ui/status-badge'
import { Text } from '@mantine/core'

const t = translations('operator.users')
const labels = translations('ui.labels')

const columns = (): readonly Column<UserView['tenants'][number]>[] => [
  {
    key: 'name',
    header: t('tenants.tenant'),
    primary: true,
    cell: (tenant) => (
      <RowLink to="/tenants/$slug" params={{ slug: tenant.slug }}>
        {tenant.name}
      </RowLink>
    ),
  },
  { key: 'role', header: t('tenants.role'), cell: (tenant) => labels(`roles.${tenant.role}`) },
  {
    key: 'status',
    header: t('tenants.status'),
    cell: (tenant) => <TenantStatusBadge status={tenant.status} />,
  },
]

/** The tenants that a user belongs to. */
export function UserTenants({ tenants }: { tenants: UserView['tenants'] }) {
  return (
    <Panel title={t('tenants.title')}>
      {tenants.length === 0 ? (
        <Text c="dimmed" size="sm">
          {t('tenants.none')}
        </Text>
      ) : (
        <ResponsiveTable
          caption={t('tenants.caption')}
          columns={columns()}
          rows={tenants}
          rowKey={(tenant) => tenant.id}
        />
      )}
    </Panel>
  )
}
