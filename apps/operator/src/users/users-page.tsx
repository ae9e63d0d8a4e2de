import type { UserView } from '@atrium/core/users/users'
import { EmptyState } from '@atrium/ui/data-states'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import type { Column } from '@atrium/ui/responsive-table'
import { Button, Text } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { type UsersSearch, usersQuery } from './search.ts'
import { UserBadges } from './user-badges.tsx'
import { UserFilters } from './user-filters.tsx'

const route = getRouteApi('/authenticated/users')

export const Route = createLazyRoute('/authenticated/users')({ component: UsersPage })

const columns: readonly Column<UserView>[] = [
  {
    key: 'name',
    header: 'User',
    primary: true,
    cell: (user) => (
      <>
        <LinkAnchor
          to="/users/$id"
          params={{ id: user.id }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {user.name}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {user.email}
        </Text>
      </>
    ),
  },
  { key: 'marks', header: 'Account', cell: (user) => <UserBadges user={user} /> },
  { key: 'tenants', header: 'Tenants', cell: tenantsOf },
  {
    key: 'seen',
    header: 'Last seen',
    cell: (user) => (user.lastSeenAt ? <When at={user.lastSeenAt} /> : 'Never'),
  },
  { key: 'created', header: 'Created', cell: (user) => <When at={user.createdAt} /> },
]

function tenantsOf({ tenants }: UserView) {
  const [first, second, ...rest] = tenants
  if (!first) return 'None'
  const named = second ? `${first.slug}, ${second.slug}` : first.slug
  return rest.length > 0 ? `${named} and ${rest.length} more` : named
}

function UsersPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const users = useQuery(
    trpc.users.list.queryOptions(usersQuery(search), { placeholderData: keepPreviousData }),
  )
  const narrow = (change: Partial<UsersSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, trail: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title="Users"
        description="Everybody who has signed in or was invited, newest first."
        actions={
          <LinkButton to="/users/invite" leftSection={<IconUserPlus size={18} aria-hidden />}>
            Invite operator
          </LinkButton>
        }
      />
      <UserFilters search={search} onChange={narrow} />
      <PagedTable
        of="users"
        found={users}
        columns={columns}
        rowKey={(user) => user.id}
        trail={search.trail}
        onCursorHistory={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
        loadingRows={8}
        empty={
          <EmptyState
            title="No user matches"
            icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
            action={
              <Button variant="default" onClick={() => void navigate({ search: {} })}>
                Clear filters
              </Button>
            }
          >
            Search by part of the name or address, or take a filter away. People appear here once
            they have signed in.
          </EmptyState>
        }
      />
    </>
  )
}
