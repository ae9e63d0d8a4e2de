import type { MemberView } from '@atrium/core/members/members'
import { memberStatuses, tenantRoles } from '@atrium/core/platform/choices'
import { NoRows, QueryState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { lazyOnInput } from '@atrium/ui/lazy-on-input'
import { LinkAnchor } from '@atrium/ui/links'
import { translations, withMessages } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { problemOf } from '@atrium/ui/problem'
import { SearchInput } from '@atrium/ui/search-input'
import { oneOf } from '@atrium/ui/search-params'
import { NativeSelect } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as links from '../links.ts'
import { mayChange, maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AddMembers } from './add-members.tsx'
import { isUnderWay } from './member-status-meta.ts'
import { MembersTable } from './members-table.tsx'
import { type MembersSearch, membersQuery, readMembersSearch } from './search.ts'
import { useChoice } from './use-choice.ts'

const t = translations('portal.members')
const labels = translations('ui.labels')

// Loads admins' parts on demand; the list appears first.
const BulkBar = lazyOnInput(() => import('./bulk-bar.tsx'))
const MemberDrawer = lazyOnInput(() =>
  withMessages(import('./member-drawer.tsx'), 'ui.account', 'ui.issues'),
)

/** Who belongs to a workplace, and for its admins everything that can be done to them. */
export function MembersPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = readMembersSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(
    trpc.tenants.users.queryOptions(membersQuery(tenant.slug, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? 3_000 : false),
    }),
  )
  const choice = useChoice(tenant.id, query.data?.items)
  const changing = mayChange(tenant)
  const go = (change: Partial<MembersSearch>, replace = true) =>
    void router.navigate({
      ...links.members(tenant.slug, { ...search, cursors: undefined, ...change }),
      replace,
      resetScroll: false,
    })
  const { member: _, cursors: __, ...filters } = search
  const filtered = Object.values(filters).some((value) => value !== undefined)

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={
          <>
            {t('description', { count: tenant.memberCount, tenant: tenant.name })}{' '}
            {maySeeSettings(tenant.role) && (
              <LinkAnchor {...links.invitations(tenant.slug)} inherit>
                {t('invitations')}
              </LinkAnchor>
            )}
          </>
        }
        actions={
          changing && (
            <AddMembers
              tenant={tenant}
              onOpen={(member) => go({ cursors: search.cursors, member: member.id }, false)}
            />
          )
        }
      />
      <FilterBar label={t('filters.label')}>
        <SearchInput
          label={t('filters.search')}
          placeholder={t('filters.searchPlaceholder')}
          value={search.q}
          onChange={(q) => go({ q })}
        />
        <NativeSelect
          label={t('filters.role')}
          value={search.role ?? ''}
          onChange={(event) => go({ role: oneOf(tenantRoles)(event.currentTarget.value) })}
          data={[
            { value: '', label: t('filters.anyRole') },
            ...tenantRoles.map((role) => ({ value: role, label: labels(`roles.${role}`) })),
          ]}
        />
        <NativeSelect
          label={t('filters.status')}
          value={search.status ?? ''}
          onChange={(event) => go({ status: oneOf(memberStatuses)(event.currentTarget.value) })}
          data={[
            { value: '', label: t('filters.anyStatus') },
            ...memberStatuses.map((status) => ({
              value: status,
              label: t(`statuses.${status}`),
            })),
          ]}
        />
      </FilterBar>
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && !query.error && query.data.items.length === 0 && (
        <NoRows
          icon={<IconUsers size={32} stroke={1.5} aria-hidden />}
          filtered={filtered}
          noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
          none={{ title: t('empty.none.title'), hint: t('empty.none.hint') }}
          onClear={() => go({ q: undefined, role: undefined, status: undefined })}
        />
      )}
      {query.data && !query.error && query.data.items.length > 0 && (
        <>
          <MembersTable
            caption={t('tabTitle', { tenant: tenant.name })}
            rows={query.data.items}
            stale={query.isPlaceholderData}
            target={(member: MemberView) =>
              links.members(tenant.slug, { ...search, member: member.id })
            }
            chosen={changing ? choice.ids : undefined}
            onChoose={choice.set}
          />
          <Pager
            label={t('table.pages')}
            cursors={search.cursors}
            nextCursor={query.data.nextCursor}
            onChange={(cursors) => go({ cursors }, false)}
          />
        </>
      )}
      <Suspense>
        {changing && choice.members.length > 0 && <BulkBar tenant={tenant} choice={choice} />}
        {search.member && (
          <MemberDrawer
            key={search.member}
            tenant={tenant}
            userId={search.member}
            onClose={() => go({ cursors: search.cursors, member: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}
