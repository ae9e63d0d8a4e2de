import type { AuditEvent } from '@atrium/core/audit/audit'
import { tenantActions } from '@atrium/ui/audit-actions'
import { AuditEntryDrawer } from '@atrium/ui/audit-entry'
import { type AuditFilterName, AuditFilters } from '@atrium/ui/audit-filters'
import { SearchFurtherBack } from '@atrium/ui/audit-further'
import { AuditTable } from '@atrium/ui/audit-table'
import { NoRows, QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { problemOf } from '@atrium/ui/problem'
import { countFilters } from '@atrium/ui/search-params'
import { IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { type AuditSearch, auditQuery, readAuditSearch } from './search.ts'

const t = translations('portal.audit')

const fields: readonly AuditFilterName[] = [
  'q',
  'action',
  'outcome',
  'actorEmail',
  'actorIpTrusted',
  'since',
  'before',
]

/** Who did what in a workplace. */
export function AuditPage() {
  const tenant = useTenant()
  const router = useRouter()
  const search = readAuditSearch(useSearch({ strict: false }))
  const [opened, setOpened] = useState<AuditEvent>()
  const trpc = useTRPC()
  const query = useQuery(
    trpc.tenants.audit.queryOptions(auditQuery(tenant.slug, search), {
      placeholderData: keepPreviousData,
    }),
  )
  const go = (change: Partial<AuditSearch>, replace = true) =>
    void router.navigate({
      ...links.auditLog(tenant.slug, { ...search, cursors: undefined, ...change }),
      replace,
    })
  const filtered = countFilters(search) > 0

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description', { tenant: tenant.name })}
      />
      <AuditFilters
        value={search}
        fields={search.grantId === undefined ? fields : [...fields, 'grantId']}
        actions={tenantActions}
        onChange={(change) => go(change)}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && !query.error && query.data.items.length === 0 && !query.data.more && (
        <NoRows
          icon={<IconHistory size={32} stroke={1.5} aria-hidden />}
          filtered={filtered}
          noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
          none={{ title: t('empty.none.title'), hint: t('empty.none.hint') }}
          onClear={() => void router.navigate({ ...links.auditLog(tenant.slug), replace: true })}
        />
      )}
      {query.data && !query.error && (
        <>
          {query.data.items.length > 0 && (
            <AuditTable
              caption={t('tabTitle', { tenant: tenant.name })}
              events={query.data.items}
              tenantNoun="workplace"
              onOpen={setOpened}
              onNarrow={({ actorEmail }) => go({ actorEmail }, false)}
              stale={query.isPlaceholderData}
            />
          )}
          <SearchFurtherBack
            page={query.data}
            cursors={search.cursors}
            onChange={(cursors) => go({ cursors }, false)}
          />
          <Pager
            label={t('pages')}
            cursors={search.cursors}
            nextCursor={query.data.more ? null : query.data.nextCursor}
            onChange={(cursors) => go({ cursors }, false)}
          />
        </>
      )}
      <AuditEntryDrawer
        tenantNoun="workplace"
        event={opened}
        onClose={() => setOpened(undefined)}
        onNarrow={(filter) => {
          setOpened(undefined)
          go(filter, false)
        }}
      />
    </>
  )
}
