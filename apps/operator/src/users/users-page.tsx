import type { UserView } from '@atrium/core/users/users'
import { EmptyState } from '@atrium/ui/data-states'
import { formatList } from '@atrium/ui/format'
import { LinkButton, RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import type { Column } from '@atrium/ui/responsive-table'
import { narrowedBy } from '@atrium/ui/search-params'
import { Box, Button, Text } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { AllInvitations } from '../invitations/invitation-panels.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { type UsersSearch, usersQuery } from './search.ts'
import { UserBadges } from './user-badges.tsx'
import { UserFilters } from './user-filters.tsx'

const t = translations('operator.users')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/users')

export const Route = createLazyRoute('/authenticated/users')({ component: UsersPage })

const columns = (): readonly Column<UserView>[] => [
  {
    key: 'name',
    header: t('columns.user'),
    primary: true,
    cell: (user) => (
      <>
        <RowLink to="/users/$id" params={{ id: user.id }}>
          {user.name}
        </RowLink>
        <Text size="xs" c="dimmed">
          {user.email}
        </Text>
      </>
    ),
  },
  { key: 'marks', header: t('columns.account'), cell: (user) => <UserBadges user={user} /> },
  { key: 'tenants', header: t('columns.tenants'), cell: tenantsOf },
  {
    key: 'seen',
    header: t('columns.seen'),
    cell: (user) => (user.lastSeenAt ? <When at={user.lastSeenAt} /> : t('never')),
  },
  { key: 'created', header: t('columns.created'), cell: (user) => <When at={user.createdAt} /> },
]

function tenantsOf({ tenants }: UserView) {
  if (tenants.length === 0) return t('noTenants')
  const named = tenants.slice(0, 2).map(({ slug }) => slug)
  const more = tenants.length - named.length
  return formatList(more > 0 ? [...named, t('moreTenants', { count: more })] : named)
}

function UsersPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const users = useQuery(
    trpc.users.list.queryOptions(usersQuery(search), { placeholderData: keepPreviousData }),
  )
  const narrow = (change: Partial<UsersSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <LinkButton to="/users/invite" leftSection={<IconUserPlus size={18} aria-hidden />}>
            {t('invite.title')}
          </LinkButton>
        }
      />
      <UserFilters search={search} onChange={narrow} />
      <PagedTable
        of={t('items')}
        found={users}
        columns={columns()}
        rowKey={(user) => user.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        loadingRows={8}
        empty={
          <EmptyState
            title={t('empty.title')}
            icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
            action={
              <Button variant="default" onClick={() => void navigate({ search: {} })}>
                {frame('clearFilters')}
              </Button>
            }
          >
            {t('empty.hint')}
          </EmptyState>
        }
      />
      <Box mt="xl">
        <AllInvitations />
      </Box>
    </>
  )
}
