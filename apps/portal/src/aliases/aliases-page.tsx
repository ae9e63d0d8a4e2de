import type { AliasView } from '@atrium/core/mail/aliases'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { NoRows, QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters } from '@atrium/ui/search-params'
import { ActionIcon, Button, NativeSelect, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAt, IconPlus, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AddAliasDialog } from './add-alias-dialog.tsx'
import { useRemoveAlias } from './mutations.ts'
import { type AliasesSearch, aliasesQuery, readAliasesSearch } from './search.ts'

const t = translations('portal.aliases')

/** Every further address of the workplace's mailboxes. */
export function AliasesPage() {
  const tenant = useTenant()
  const { slug } = tenant
  const router = useRouter()
  const search = readAliasesSearch(useSearch({ strict: false }))
  const trpc = useTRPC()
  const query = useQuery(
    trpc.aliases.list.queryOptions(aliasesQuery(slug, search), {
      placeholderData: keepPreviousData,
    }),
  )
  const [adding, { open, close }] = useDisclosure(false)
  const [leaving, setLeaving] = useState<AliasView>()
  const remove = useRemoveAlias(slug)
  const editable = mayChange(tenant)
  const filtered = countFilters(search) > 0
  const go = (change: Partial<AliasesSearch>, replace = true) =>
    void router.navigate({
      ...links.aliases(slug, { ...search, cursors: undefined, ...change }),
      replace,
    })
  const addButton = editable && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      {t('add.action')}
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
        actions={!(nothing && !filtered) && addButton}
      />
      {!(nothing && !filtered) && (
        <FilterBar label={t('filters.label')}>
          <SearchInput
            label={t('filters.search')}
            placeholder={t('filters.searchPlaceholder')}
            value={search.q}
            onChange={(q) => go({ q })}
          />
          {tenant.domains.length > 1 && (
            <NativeSelect
              label={t('filters.domain')}
              value={search.domain ?? ''}
              onChange={(event) => go({ domain: event.currentTarget.value || undefined })}
              data={[{ value: '', label: t('filters.anyDomain') }, ...tenant.domains]}
            />
          )}
        </FilterBar>
      )}
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {nothing && (
        <NoRows
          icon={<IconAt size={32} stroke={1.5} aria-hidden />}
          filtered={filtered}
          noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
          none={{ title: t('empty.none.title'), hint: t('empty.none.hint'), action: addButton }}
          onClear={() => go({ q: undefined, domain: undefined })}
        />
      )}
      {query.data && !query.error && query.data.items.length > 0 && (
        <>
          <ResponsiveTable
            caption={t('tabTitle', { tenant: tenant.name })}
            columns={editable ? [...columns(), removeColumn(setLeaving)] : columns()}
            rows={query.data.items}
            rowKey={({ address }) => address}
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
      <AddAliasDialog
        slug={slug}
        opened={adding}
        onClose={close}
        onAdded={({ address, member }) => {
          close()
          done(
            member
              ? t('add.done', { address, member: member.name })
              : t('add.doneWithoutMember', { address }),
          )
        }}
      />
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t('remove.question', { address: leaving?.address ?? '' })}
        confirmLabel={t('remove.submit')}
        explain={explain}
        onConfirm={async () => {
          if (!leaving) return
          await remove.mutateAsync({ slug, address: leaving.address })
          done(t('remove.done', { address: leaving.address }))
        }}
      >
        {leaving && removalOf(leaving)}
      </ConfirmDialog>
    </>
  )
}

function removalOf({ address, member }: AliasView) {
  const strong = (chunks: ReactNode) => <strong>{chunks}</strong>
  return member
    ? t.rich('remove.effects', { address, member: member.name, strong })
    : t.rich('remove.effectsWithoutMember', { address, strong })
}

const columns = (): Column<AliasView>[] => [
  {
    key: 'address',
    header: t('table.address'),
    primary: true,
    cell: ({ address }) => (
      <CopyValue label={t('table.copy', { address })} hideLabel value={address} />
    ),
  },
  {
    key: 'member',
    header: t('table.member'),
    breaks: true,
    cell: ({ member }) =>
      member ? (
        <>
          <Text size="sm">{member.name}</Text>
          <Text size="sm" c="dimmed">
            {member.email}
          </Text>
        </>
      ) : (
        <Text span size="sm" c="dimmed">
          {t('table.noMember')}
        </Text>
      ),
  },
]

function removeColumn(remove: (alias: AliasView) => void): Column<AliasView> {
  return {
    key: 'remove',
    header: t('table.actions'),
    hideHeader: true,
    align: 'end',
    cell: (alias) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('remove.action', { address: alias.address })}
        onClick={() => remove(alias)}
      >
        <IconTrash size={17} aria-hidden />
      </ActionIcon>
    ),
  }
}
