import type { MemberView } from '@atrium/core/members/members'
import { tenantRoles } from '@atrium/core/platform/choices'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkAnchor } from '@atrium/ui/links'
import { PagedTable } from '@atrium/ui/paged-table'
import { currentCursor } from '@atrium/ui/paging'
import type { Column } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { StatusMeta } from '@atrium/ui/tones'
import { Button, Text } from '@mantine/core'
import { IconSearch, IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import { roleNames } from './labels.ts'
import type { TenantSearch } from './search.ts'

const route = getRouteApi('/authenticated/tenants/$slug')

const membersPerPage = 25
const roleChoices = tenantRoles.map((value) => ({ value, label: roleNames[value] }))

const memberStatusMeta: Readonly<Record<MemberView['status'], StatusMeta>> = {
  provisioning: { label: 'Being set up', tone: 'working' },
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warning' },
  removing: { label: 'Being removed', tone: 'working' },
  deactivated: { label: 'Deactivated', tone: 'bad' },
}

const columns: readonly Column<MemberView>[] = [
  {
    key: 'name',
    header: 'Member',
    primary: true,
    cell: (member) => (
      <>
        <LinkAnchor
          to="/users/$id"
          params={{ id: member.id }}
          fw={550}
          fz="inherit"
          underline="hover"
          data-row-link
        >
          {member.name}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {member.email}
        </Text>
      </>
    ),
  },
  { key: 'role', header: 'Role', cell: (member) => roleNames[member.role] },
  {
    key: 'status',
    header: 'Status',
    cell: (member) => <StatusBadge {...memberStatusMeta[member.status]} />,
  },
  {
    key: 'mailbox',
    header: 'Mailbox',
    breaks: true,
    cell: (member) => member.mailboxAddress ?? 'None',
  },
  { key: 'joined', header: 'Joined', cell: (member) => <When at={member.joinedAt} /> },
]

/** The people of one tenant. */
export function TenantMembers({ tenant }: { tenant: TenantView }) {
  const { q, role, trail } = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const members = useQuery(
    trpc.tenants.users.queryOptions(
      { slug: tenant.slug, q, role, cursor: currentCursor(trail), limit: membersPerPage },
      { placeholderData: keepPreviousData },
    ),
  )
  const narrow = (change: Pick<TenantSearch, 'q' | 'role'>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, trail: undefined }),
      replace: true,
    })
  const filtered = q !== undefined || role !== undefined
  return (
    <>
      <FilterBar label="Filter members">
        <DebouncedInput
          label="Search"
          type="search"
          placeholder="Name or address"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={q}
          onChange={(words) => narrow({ q: words })}
        />
        <ChoiceFilter
          label="Role"
          value={role}
          choices={roleChoices}
          onChange={(chosen) => narrow({ role: chosen })}
        />
        {filtered && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => narrow({ q: undefined, role: undefined })}
          >
            Clear filters
          </Button>
        )}
      </FilterBar>
      <PagedTable
        of="members"
        caption={`Members of ${tenant.name}`}
        found={members}
        columns={columns}
        rowKey={(member) => member.id}
        trail={trail}
        onCursorHistory={(next) =>
          void navigate({ search: (before) => ({ ...before, trail: next }) })
        }
        loadingRows={5}
        empty={
          <EmptyState
            title={filtered ? 'No member matches' : 'No members yet'}
            icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
          >
            {filtered
              ? 'Search by part of the name or address, or take a filter away.'
              : 'Members appear when they sign in with an identity that is in the group of this tenant.'}
          </EmptyState>
        }
      />
    </>
  )
}
