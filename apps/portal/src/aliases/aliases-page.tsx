import type { AliasView } from '@atrium/core/mail/aliases'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { CopyValue } from '@atrium/ui/copy'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { done } from '@atrium/ui/done'
import { FilterBar } from '@atrium/ui/filter-bar'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { problemOf } from '@atrium/ui/problem'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { countFilters } from '@atrium/ui/search-params'
import { ActionIcon, Button, NativeSelect, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAt, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import { AddAliasDialog } from './add-alias-dialog.tsx'
import { useRemoveAlias } from './mutations.ts'
import { type AliasesSearch, aliasesQuery, readAliasesSearch } from './search.ts'

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
      ...links.aliases(slug, { ...search, trail: undefined, ...change }),
      replace,
    })
  const addButton = editable && (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={open}>
      Add alias
    </Button>
  )
  const nothing = query.data && !query.error && query.data.items.length === 0

  if (query.error && problemOf(query.error).status === 403) return <NoAccess slug={slug} />
  return (
    <>
      <PageHeader
        title="Aliases"
        tabTitle={`Aliases of ${tenant.name}`}
        description="Further addresses of mailboxes, such as info or sales. One alias leads to one mailbox; for several people make a distribution list."
        actions={!(nothing && !filtered) && addButton}
      />
      {!(nothing && !filtered) && (
        <FilterBar label="Filter aliases">
          <DebouncedInput
            label="Search"
            type="search"
            placeholder="Address or person"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={search.q}
            onChange={(q) => go({ q })}
          />
          {tenant.domains.length > 1 && (
            <NativeSelect
              label="Domain"
              value={search.domain ?? ''}
              onChange={(event) => go({ domain: event.currentTarget.value || undefined })}
              data={[{ value: '', label: 'Any domain' }, ...tenant.domains]}
            />
          )}
        </FilterBar>
      )}
      {query.isPending && <LoadingRows label="Loading aliases" />}
      {query.error && (
        <ErrorState
          title="The aliases could not be read from the mail server."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {nothing && (
        <EmptyState
          icon={<IconAt size={32} stroke={1.5} aria-hidden />}
          title={filtered ? 'No alias fits these filters' : 'No aliases yet'}
          action={
            filtered ? (
              <Button variant="default" onClick={() => go({ q: undefined, domain: undefined })}>
                Clear filters
              </Button>
            ) : (
              addButton
            )
          }
        >
          {filtered
            ? 'Try another address or person.'
            : 'Give a mailbox a second address, such as info or sales.'}
        </EmptyState>
      )}
      {query.data && !query.error && query.data.items.length > 0 && (
        <>
          <ResponsiveTable
            caption={`Aliases of ${tenant.name}`}
            columns={editable ? [...columns, removeColumn(setLeaving)] : columns}
            rows={query.data.items}
            rowKey={({ address }) => address}
            stale={query.isPlaceholderData}
          />
          <Pager
            label="Pages of aliases"
            trail={search.trail}
            nextCursor={query.data.nextCursor}
            onChange={(trail) => go({ trail }, false)}
          />
        </>
      )}
      <AddAliasDialog
        slug={slug}
        opened={adding}
        onClose={close}
        onAdded={({ address, member }) => {
          close()
          done(`Mail to ${address} now arrives in the mailbox of ${member?.name ?? 'the member'}.`)
        }}
      />
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Remove ${leaving?.address ?? 'the alias'}?`}
        confirmLabel="Remove alias"
        explain={explain}
        onConfirm={async () => {
          if (!leaving) return
          await remove.mutateAsync({ slug, address: leaving.address })
          done(`${leaving.address} has been removed.`)
        }}
      >
        Mail to <strong>{leaving?.address}</strong> will be refused. The mailbox
        {leaving?.member && ` of ${leaving.member.name}`} and the mail in it stay.
      </ConfirmDialog>
    </>
  )
}

const columns: Column<AliasView>[] = [
  {
    key: 'address',
    header: 'Alias',
    primary: true,
    cell: ({ address }) => <CopyValue label={`alias ${address}`} hideLabel value={address} />,
  },
  {
    key: 'member',
    header: 'Arrives at',
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
          A mailbox of no member
        </Text>
      ),
  },
]

function removeColumn(remove: (alias: AliasView) => void): Column<AliasView> {
  return {
    key: 'remove',
    header: 'Actions',
    hideHeader: true,
    align: 'end',
    cell: (alias) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Remove ${alias.address}`}
        onClick={() => remove(alias)}
      >
        <IconTrash size={17} aria-hidden />
      </ActionIcon>
    ),
  }
}
