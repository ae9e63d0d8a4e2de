import type { ListSummary } from '@atrium/core/mail/lists'
import { NoRows, QueryState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters } from '@atrium/ui/search-params'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMailForward, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { CreateListDialog } from './create-list-dialog.tsx'
import { type ListsSearch, listsQuery, readListsSearch } from './search.ts'
import { listMeta } from './status-meta.ts'

const t = translations('portal.lists')

/** Addresses that go to several people. */
export function ListsPage() {
  const tenant = useTenant()
  const { slug } = tenant
  const router = useRouter()
  const search = readListsSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(
    trpc.lists.list.queryOptions(listsQuery(slug, search), { placeholderData: keepPreviousData }),
  )
  const [creating, { open, close }] = useDisclosure(false)
  const filtered = countFilters(search) > 0
  const go = (change: Partial<ListsSearch>, replace = true) =>
    void router.navigate({
      ...links.lists(slug, { ...search, cursors: undefined, ...change }),
      replace,
    })
  const createButton = mayChange(tenant) && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      {t('create.action')}
    </Button>
  )
  const nothing = query.data && !query.error && query.data.items.length === 0

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={!(nothing && !filtered) && createButton}
      />
      {!(nothing && !filtered) && (
        <FilterBar label={t('filters.label')}>
          <SearchInput
            label={t('filters.search')}
            placeholder={t('filters.searchPlaceholder')}
            value={search.q}
            onChange={(q) => go({ q })}
          />
        </FilterBar>
      )}
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {nothing && (
        <NoRows
          icon={<IconMailForward size={32} stroke={1.5} aria-hidden />}
          filtered={filtered}
          noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
          none={{ title: t('empty.none.title'), hint: t('empty.none.hint'), action: createButton }}
          onClear={() => go({ q: undefined })}
        />
      )}
      {query.data && !query.error && query.data.items.length > 0 && (
        <>
          <ResponsiveTable
            caption={t('tabTitle', { tenant: tenant.name })}
            columns={columnsOf(slug)}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label={t('table.pages')}
            cursors={search.cursors}
            nextCursor={query.data.nextCursor}
            onChange={(cursors) => go({ cursors }, false)}
          />
        </>
      )}
      <CreateListDialog
        opened={creating}
        onClose={close}
        onCreated={(list) => {
          close()
          void router.navigate(links.list(slug, list.id))
        }}
      />
    </>
  )
}

function columnsOf(slug: string): Column<ListSummary>[] {
  return [
    {
      key: 'name',
      header: t('table.name'),
      primary: true,
      cell: ({ id, name, address }) => (
        <>
          <LinkAnchor {...links.list(slug, id)} size="sm" fw={550} data-row-link>
            {name}
          </LinkAnchor>
          <Text size="sm" c="dimmed">
            {address}
          </Text>
        </>
      ),
    },
    {
      key: 'recipients',
      header: t('table.recipients'),
      cell: ({ recipientCount }) => formatCount(recipientCount),
    },
    {
      key: 'state',
      header: t('table.state'),
      cell: ({ state }) => <StatusBadge {...listMeta(state)} />,
    },
    {
      key: 'updated',
      header: t('table.updated'),
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ]
}
