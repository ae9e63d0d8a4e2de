import { type MemberView, tenantRole, tenantRoles } from '@atrium/core/tenants'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { countFilters } from '@atrium/ui/search-params'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import type { Look } from '@atrium/ui/tones'
import { Button, NativeSelect, Text } from '@mantine/core'
import { IconSearch, IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as targets from '../targets.ts'
import { roleNames } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { MembersSearch, membersQuery } from './search.ts'

const statusLooks: Readonly<Record<MemberView['status'], Look>> = {
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warning' },
  deactivated: { label: 'Deactivated', tone: 'neutral' },
}

const columns: Column<MemberView>[] = [
  {
    key: 'name',
    header: 'Name',
    primary: true,
    cell: ({ name, email }) => (
      <>
        <Text fw={550} size="sm">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {email}
        </Text>
      </>
    ),
  },
  {
    key: 'mailbox',
    header: 'Mailbox',
    cell: ({ mailboxAddress }) =>
      mailboxAddress ?? (
        <Text span size="sm" c="dimmed">
          No mailbox
        </Text>
      ),
  },
  { key: 'role', header: 'Role', cell: ({ role }) => roleNames[role] },
  { key: 'status', header: 'Status', cell: ({ status }) => <StatusBadge {...statusLooks[status]} /> },
  { key: 'joined', header: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
]

/** Who belongs to a workplace. */
export function MembersPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = MembersSearch.parse(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(trpc.tenants.users.queryOptions(membersQuery(tenant.slug, search), { placeholderData: keepPreviousData }))
  const go = (change: Partial<MembersSearch>, replace = true) =>
    void router.navigate({ ...targets.members(tenant.slug, { ...search, trail: undefined, ...change }), replace })

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title="Members"
        tabTitle={`Members of ${tenant.name}`}
        description={`${tenant.memberCount === 1 ? 'One person belongs' : `${tenant.memberCount} people belong`} to ${tenant.name}.`}
      />
      <FilterBar label="Filter members">
        <DebouncedInput
          label="Search"
          type="search"
          placeholder="Name or address"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => go({ q })}
        />
        <NativeSelect
          label="Role"
          value={search.role ?? ''}
          onChange={(event) => go({ role: tenantRole.safeParse(event.currentTarget.value).data })}
          data={[{ value: '', label: 'Any role' }, ...tenantRoles.map((role) => ({ value: role, label: roleNames[role] }))]}
        />
      </FilterBar>
      {query.isPending && <LoadingRows label="Loading members" />}
      {query.error && (
        <ErrorState
          title="The members could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.data && !query.error && query.data.items.length === 0 && (
        <EmptyState
          icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
          title={countFilters(search) > 0 ? 'Nobody fits these filters' : 'No members yet'}
          action={
            countFilters(search) > 0 && (
              <Button variant="default" onClick={() => go({ q: undefined, role: undefined })}>
                Clear filters
              </Button>
            )
          }
        >
          {countFilters(search) > 0 ? 'Try another name or role.' : 'People appear here as soon as they belong to the workplace.'}
        </EmptyState>
      )}
      {query.data && !query.error && query.data.items.length > 0 && (
        <>
          <ResponsiveTable
            caption={`Members of ${tenant.name}`}
            columns={columns}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label="Pages of members"
            trail={search.trail}
            nextCursor={query.data.nextCursor}
            onChange={(trail) => go({ trail }, false)}
          />
        </>
      )}
    </>
  )
}
