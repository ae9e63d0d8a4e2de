import type { MemberView } from '@atrium/core/members/members'
import { tenantRoles } from '@atrium/core/platform/choices'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { EmptyState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { RowLink } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PagedTable } from '@atrium/ui/paged-table'
import { currentCursor } from '@atrium/ui/paging'
import type { Column } from '@atrium/ui/responsive-table'
import { SearchInput } from '@atrium/ui/search-input'
import { narrowedBy } from '@atrium/ui/search-params'
import { StatusBadge } from '@atrium/ui/status-badge'
import type { Tone } from '@atrium/ui/tones'
import { Text } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { When } from '../parts/when.tsx'
import { useTRPC } from '../trpc.ts'
import type { TenantSearch } from './search.ts'

const t = translations('operator.tenants')
const labels = translations('ui.labels')
const route = getRouteApi('/authenticated/tenants/$slug')

const membersPerPage = 25
const roleChoices = () => tenantRoles.map((value) => ({ value, label: labels(`roles.${value}`) }))

const statusTones: Readonly<Record<MemberView['status'], Tone>> = {
  provisioning: 'working',
  active: 'good',
  suspended: 'warning',
  removing: 'working',
  deactivated: 'bad',
}

const columns = (): readonly Column<MemberView>[] => [
  {
    key: 'name',
    header: t('members.columns.member'),
    primary: true,
    cell: (member) => (
      <>
        <RowLink to="/users/$id" params={{ id: member.id }}>
          {member.name}
        </RowLink>
        <Text size="xs" c="dimmed">
          {member.email}
        </Text>
      </>
    ),
  },
  {
    key: 'role',
    header: t('members.columns.role'),
    cell: (member) => labels(`roles.${member.role}`),
  },
  {
    key: 'status',
    header: t('members.columns.status'),
    cell: ({ status }) => (
      <StatusBadge tone={statusTones[status]} label={t(`members.statuses.${status}`)} />
    ),
  },
  {
    key: 'mailbox',
    header: t('members.columns.mailbox'),
    breaks: true,
    cell: (member) => member.mailboxAddress ?? t('members.noMailbox'),
  },
  {
    key: 'joined',
    header: t('members.columns.joined'),
    cell: (member) => <When at={member.joinedAt} />,
  },
]

/** The people of one tenant. */
export function TenantMembers({ tenant }: { tenant: TenantView }) {
  const { q, role, cursors } = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const members = useQuery(
    trpc.tenants.users.queryOptions(
      { slug: tenant.slug, q, role, cursor: currentCursor(cursors), limit: membersPerPage },
      { placeholderData: keepPreviousData },
    ),
  )
  const narrow = (change: Pick<TenantSearch, 'q' | 'role'>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  const filtered = q !== undefined || role !== undefined
  return (
    <>
      <FilterBar
        label={t('members.filters.label')}
        onClear={filtered && (() => narrow({ q: undefined, role: undefined }))}
      >
        <SearchInput
          label={t('filters.search')}
          placeholder={t('members.filters.searchPlaceholder')}
          value={q}
          onChange={(words) => narrow({ q: words })}
        />
        <ChoiceFilter
          label={t('members.columns.role')}
          value={role}
          choices={roleChoices()}
          onChange={(chosen) => narrow({ role: chosen })}
        />
      </FilterBar>
      <PagedTable
        of={t('members.items')}
        caption={t('members.of', { tenant: tenant.name })}
        found={members}
        columns={columns()}
        rowKey={(member) => member.id}
        cursors={cursors}
        onCursorHistory={(next) =>
          void navigate({ search: (before) => ({ ...before, cursors: next }) })
        }
        loadingRows={5}
        empty={
          <EmptyState
            title={t(filtered ? 'members.empty.filtered.title' : 'members.empty.none.title')}
            icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
          >
            {t(filtered ? 'members.empty.filtered.hint' : 'members.empty.none.hint')}
          </EmptyState>
        }
      />
    </>
  )
}
